"""Code as a page shows it: no line is wider than its column, as far as Python lets a line be broken.

A comment behind the code goes above it, a statement behind a colon below it, names that are imported get a line of
their own in brackets, and what stands in brackets is broken after a comma or before an operator. The code stays the
same code: its syntax tree is compared.
"""
import ast
import io
import re
import tokenize

WIDTH = 96
OPENS = {"if", "elif", "else", "for", "while", "with", "def", "class", "try", "except", "finally"}
BEFORE = {"if", "else", "for", "and", "or", "|", "&", "+", "==", "<", "<=", ">", ">="}


def narrowed(text, width=WIDTH):
    "Code with no line wider than `width` where it can be broken; text that is no Python stays as it is."
    head = [line for line in text.split("\n") if line.startswith("#|")]
    code = "\n".join(text.split("\n")[len(head) :])
    if all(len(line) <= width for line in code.split("\n")) or not (tree := parsed(code)):
        return text
    for _ in range(400):
        if (changed := broken_once(code, width)) == code:
            break
        code = changed
    return "\n".join([*head, code]) if (new := parsed(code)) and ast.dump(new) == ast.dump(tree) else text


def parsed(code):
    "The syntax tree, or None."
    try:
        return ast.parse(code)
    except SyntaxError:
        return None


def broken_once(code, width):
    "The code with the first line that is too wide and can be broken in two."
    lines = code.split("\n")
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(code + "\n").readline))
    except (tokenize.TokenError, IndentationError):
        return code
    for number, line in enumerate(lines, start=1):
        if len(line) > width and (new := broken(line, number, tokens, width)):
            lines[number - 1 : number] = new
            return "\n".join(lines)
    return code


def broken(line, number, tokens, width):
    "A line as two, or None."
    indent = line[: len(line) - len(line.lstrip())]
    mine, depth, start_depth, in_text = [], 0, None, False
    for token in tokens:
        if token.start[0] < number < token.end[0]:
            return None  # inside a text of several lines
        if token.start[0] > number:
            break
        closing = token.type == tokenize.OP and token.string in ")]}"
        depth -= closing
        if token.start[0] == number and token.string.strip():
            start_depth = depth if start_depth is None else start_depth
            in_text = in_text or token.end[0] > number
            mine.append((token, depth))
        elif token.end[0] == number and token.start[0] < number and token.type != tokenize.NL:
            return None
        depth += token.type == tokenize.OP and token.string in "([{"
    if not mine or in_text:
        return None
    if found := re.fullmatch(r"(\s*from \S+ import )([^()#]+)", line):
        return [f"{found[1]}(", f"{indent}    {found[2].strip()},", f"{indent})"]
    last, _ = mine[-1]
    if last.type == tokenize.COMMENT:
        code = line[: last.start[1]].rstrip()
        return [indent + last.string, code] if code else None
    suite = mine[0][0].string in OPENS and start_depth == 0 and line.rstrip().endswith(":")
    if place := after_colon(mine, start_depth):
        return [line[:place].rstrip(), indent + "    " + line[place:].strip()]
    choices = [(deep, -place) for place, deep in places(mine) if len(indent) + 12 < place <= width and deep > 0]
    if not choices:
        return None
    place = -min(choices)[1]
    continued = indent if start_depth else indent + ("        " if suite else "    ")
    rest = continued + line[place:].strip()
    return [line[:place].rstrip(), rest] if len(rest) < len(line) else None


def after_colon(mine, start_depth):
    "Where the statement behind the colon of a compound statement begins, or None."
    if start_depth or mine[0][0].string not in OPENS:
        return None
    lambdas = 0
    for (token, depth), following in zip(mine, mine[1:], strict=False):
        lambdas += token.string == "lambda" and depth == 0
        if token.type == tokenize.OP and token.string == ":" and depth == 0:
            if not lambdas:
                return following[0].start[1]
            lambdas -= 1
    return None


def places(mine):
    "(column, depth) of the places at which a line may be broken."
    for (token, depth), (following, _) in zip(mine, mine[1:], strict=False):
        comma = token.type == tokenize.OP and token.string == ","
        sign = following.type in (tokenize.OP, tokenize.NAME) and following.string in BEFORE
        if comma or sign:
            yield following.start[1], depth

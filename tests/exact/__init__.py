"""A second implementation of every measure and every convention: slow, plain, and in exact arithmetic.

It shares no code with the package. It is written from the papers and from the conventions as the pages state them, so that
a reader can check it by eye, one idea after the other:

    arithmetic    exact numbers, and how they are written
    data          from judgments and a run to the grades of a ranking: duplicates, ties, negative grades, unjudged documents
    measures      the definition of each measure, for one ranking, and the table of all
    settings      the questions, their answers, and what each tool answers
    evaluation    from one value per query to the one number: missing queries, nothing relevant, means
    mistakes      what people compute instead, by name
    bugs          further mistakes, which the vectors do not tell apart
    inputs        small judgments and runs, by name
    choice        which of these inputs tell all of that apart, and which differences no input can show
    files         what `make vectors` writes below conformance/
"""

// An editor on a page: the reader writes a function in Python, and a worker checks it with the package.
//
// Every element with the class `write` is mounted when this module is loaded. It holds the task, a block of code to
// begin with, and the answer, folded; that is all that is shown where no script runs:
//
//     <div class="write" data-function="dcg">
//
//     Write `dcg(grades, k)`. ...
//
//     ```python
//     def dcg(grades, k):
//         return 0.0
//     ```
//
//     <details><summary>Answer</summary> ... a block of code ... </details>
//
//     </div>
//
// Python is loaded with the first check, by write_worker.js, from the files of the site that `make lite` writes.

const LIMITS = {running: 15, naming: 40};  // seconds
const FIRST = 'The first check loads Python into your browser: about 17 MB, about 10 seconds. Your code is not sent anywhere.';
const KEYS = 'Tab indents. Esc, then Tab leaves the editor. Ctrl+Enter or ⌘+Enter checks the code.';
const SAYS = {
  loading: 'Loading Python. The first time, this takes about 10 seconds ...',
  running: 'Running your function ...',
  naming: 'Looking for what your function computes ...',
};
const MISSING = ['Run this in a notebook: this copy of the site has no Python for the browser. Install the package, ',
  'download the notebook by the link “This page as a notebook” in the margin, and call ', '.'];
const INSTALL = 'pip install "irmetrics_nb[lessons] @ git+https://github.com/irmetrics-nb/irmetrics_nb"';

function html(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(key, value);
    else if (value !== null && value !== false) element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...children.filter(child => child !== null));
  return element;
}


// ---- the worker: one for all editors of a page ----

let worker = null, current = null, timer = null;

function stop() {
  worker?.terminate();
  clearTimeout(timer);
  worker = current = timer = null;
}

// A check ends with `done`; a stage that takes too long ends the worker, and the next check loads Python again.
function check(name, code, {stage, done}) {
  current = {done, partial: null};
  worker ??= start();
  const enter = next => {
    clearTimeout(timer);
    stage(next);
    const limit = LIMITS[next];
    if (!limit) return;
    timer = setTimeout(() => {
      const {partial} = current;
      stop();
      done(partial ?? {says: `Stopped after ${limit} seconds: your function does not end for some list.`, case: {},
        hint: 'Which loop of your function has a condition that stays true?'});
    }, 1000 * limit);
  };
  worker.onmessage = ({data}) => {
    if (data.partial) current.partial = data.partial;
    if (data.stage) return enter(data.stage);
    clearTimeout(timer);
    if (data.missing || data.failed) stop();
    done(data);
  };
  worker.onerror = event => { stop(); done({failed: event.message ?? 'the worker did not start'}); };
  enter('loading');
  worker.postMessage({name, code});
}

const start = () => new Worker(new URL('write_worker.js', import.meta.url), {type: 'module'});


// ---- an editor ----

class Editor {
  constructor(element) {
    this.name = element.dataset.function;
    const fold = element.querySelector('details'), blocks = [...element.querySelectorAll('pre code')];
    const [stub, answer] = blocks.map(code => `${code.textContent.trimEnd()}\n`);
    this.stub = stub;
    this.busy = false;
    this.build(element, answer);
    (blocks[0].closest('div.sourceCode, div.code-copy-outer-scaffold') ?? blocks[0].parentElement).remove();
    fold.remove();
    element.querySelectorAll('.code-copy-outer-scaffold:empty').forEach(empty => empty.remove());
  }

  build(element, answer) {
    const button = (text, click) => html('button', {type: 'button', click}, text);
    const id = `write-${this.name}`;
    const parts = this.parts = {
      code: html('textarea', {
        id, rows: Math.max(9, this.stub.split('\n').length + 4), wrap: 'off', spellcheck: 'false', autocomplete: 'off',
        autocapitalize: 'off', autocorrect: 'off', 'aria-describedby': `${id}-keys`,
        keydown: event => this.key(event), input: () => this.keep(), blur: () => { this.leaving = false; },
      }),
      check: button('Check', () => this.busy ? this.halt() : this.check()),
      hint: button('Hint', () => this.showHint()),
      show: button('Show the answer', () => this.showAnswer()),
      said: html('div', {class: 'said', role: 'status'}),
      hinted: html('p', {class: 'hint', role: 'status'}),
      first: html('p', {class: 'note first'}, FIRST),
      answer: html('pre', {class: 'answer', hidden: true, tabindex: 0, role: 'region', 'aria-label': `Answer: ${this.name}`}, html('code', {}, answer)),
    };
    parts.check.className = 'check';
    parts.show.setAttribute('aria-expanded', 'false');
    parts.code.value = this.kept() ?? this.stub;
    element.append(html('section', {'aria-label': `Editor: ${this.name}`}, html('label', {for: id}, 'Your code'),
      parts.code, html('p', {class: 'note', id: `${id}-keys`}, KEYS),
      html('div', {class: 'buttons'}, parts.check, parts.hint, parts.show, button('Start again', () => this.restart())),
      parts.first, parts.said, parts.hinted, parts.answer));
  }

  // What was written stays until the tab is closed, where the browser allows it.
  kept() { try { return sessionStorage.getItem(`write-${this.name}`); } catch { return null; } }
  keep() { try { sessionStorage.setItem(`write-${this.name}`, this.parts.code.value); } catch { /* it is lost */ } }

  // Keys: Tab indents, unless Esc came before it; Enter keeps the indent of the line.
  key(event) {
    const {code} = this.parts, leaving = this.leaving;
    this.leaving = event.key === 'Escape' || (leaving && event.key === 'Shift');
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      if (!this.busy) this.check();
    } else if (event.key === 'Tab' && !leaving && !event.ctrlKey && !event.altKey && !event.metaKey) {
      event.preventDefault();
      this.indent(event.shiftKey);
    } else if (event.key === 'Enter' && !event.isComposing) {
      event.preventDefault();
      const line = code.value.slice(0, code.selectionStart).split('\n').pop();
      insert(code, `\n${/^ */.exec(line)[0]}${/:\s*$/.test(line) ? '    ' : ''}`);
    }
  }

  indent(back) {
    const {code} = this.parts, {value, selectionStart: from, selectionEnd: to} = code;
    if (from === to && !back) return insert(code, ' '.repeat(4 - (from - value.lastIndexOf('\n', from - 1) - 1) % 4));
    const start = value.lastIndexOf('\n', from - 1) + 1, lines = value.slice(start, to).split('\n');
    const changed = lines.map(line => back ? line.replace(/^ {1,4}/, '') : `    ${line}`);
    code.setSelectionRange(start, to);
    insert(code, changed.join('\n'));
    const shift = changed[0].length - lines[0].length, end = start + changed.join('\n').length;
    code.setSelectionRange(from === to ? Math.max(start, from + shift) : start, from === to ? Math.max(start, from + shift) : end);
  }

  check() {
    if (current) return this.say({says: 'Another function on this page is being checked. Wait, or stop it.', case: {}});
    const {parts} = this;
    this.busy = true;
    this.hint = null;
    parts.check.textContent = 'Stop';
    parts.hinted.textContent = '';
    check(this.name, parts.code.value, {
      stage: name => this.progress(SAYS[name]),
      done: result => { current = null; this.end(); this.result(result); },
    });
  }

  halt() {
    stop();
    this.end();
    this.progress('Stopped.');
  }

  end() {
    this.busy = false;
    this.parts.check.textContent = 'Check';
  }

  progress(text) { this.parts.said.replaceChildren(html('p', {class: 'note'}, text)); }

  result(result) {
    if (result.missing) {
      const [start, end, dot] = MISSING;
      const text = html('p', {}, start, html('code', {}, INSTALL), `, ${end}`, html('code', {}, `grade(${this.name})`), dot);
      this.parts.said.replaceChildren(text);
    } else if (result.failed) {
      this.progress(`Python could not be loaded: ${result.failed}. Check the connection, and try again.`);
    } else {
      document.querySelectorAll('.write .first').forEach(note => { note.hidden = true; });
      this.say(result);
    }
  }

  // The verdict; then the smallest case, line by line; then what the function printed there.
  say({passed = false, says, case: shown, hint = '', printed = ''}) {
    const rows = Object.entries(shown).map(([word, text]) => html('div', {}, html('dt', {}, word), html('dd', {}, html('code', {}, text))));
    this.hint = {passed, text: hint};
    this.parts.said.replaceChildren(html('p', {class: passed ? 'right' : 'wrong'}, says),
      ...rows.length ? [html('p', {}, 'The smallest list for which it is wrong:'), html('dl', {}, ...rows)] : [],
      ...printed ? [html('p', {}, 'It printed:'), html('pre', {}, printed)] : []);
  }

  showHint() {
    const {hint} = this;
    this.parts.hinted.textContent = !hint ? 'Press “Check” first: the hint is about the list for which your function is wrong.'
      : hint.passed ? 'Your function is right.' : `Hint: ${hint.text || 'Look at the line that the message names.'}`;
  }

  showAnswer() {
    const {answer, show} = this.parts;
    answer.hidden = !answer.hidden;
    show.textContent = answer.hidden ? 'Show the answer' : 'Hide the answer';
    show.setAttribute('aria-expanded', `${!answer.hidden}`);
  }

  restart() {
    const {parts} = this;
    if (this.busy) this.halt();
    parts.code.value = this.stub;
    this.keep();
    this.hint = null;
    parts.said.replaceChildren();
    parts.hinted.textContent = '';
    if (!parts.answer.hidden) this.showAnswer();
    parts.code.focus();
  }
}

// Put a text where the cursor is; execCommand keeps it in the history that Ctrl+Z goes back in.
function insert(code, text) {
  if (document.execCommand('insertText', false, text)) return;
  code.setRangeText(text, code.selectionStart, code.selectionEnd, 'end');
  code.dispatchEvent(new Event('input'));
}


// ---- the style ----

const STYLE = `
:is(.quarto-light) .write { color-scheme: light; }
:is(.quarto-dark) .write { color-scheme: dark; }

.write {
  --ground: light-dark(#ffffff, #15191e);
  --pale: light-dark(#eef1f4, #262d36);
  --line: light-dark(#d7dde3, #363e48);
  --edge: light-dark(#8d98a3, #6b7683);
  --soft: light-dark(#4d5761, #a3adb8);
  --accent: light-dark(#0b5cad, #82bbff);
  --good: light-dark(#00714f, #4fc3a1);
  --wrong: light-dark(#9a3412, #f0a878);

  > section {
    margin-block: 1rem 2rem; padding: .8rem 1.2rem;
    border: 1px solid var(--line); border-top: 3px solid var(--accent); border-radius: 4px;
  }
  section p { margin: .4rem 0 0; }
  label { display: block; margin-bottom: .3rem; font-weight: 600; }
  textarea, pre, dd code {
    font-family: "JetBrains Mono", ui-monospace, monospace; font-size: 13px; line-height: 1.5; tab-size: 4;
  }
  textarea {
    display: block; box-sizing: border-box; width: 100%; padding: .6rem; resize: vertical;
    color: inherit; background: var(--ground); border: 1px solid var(--edge); border-radius: 4px;
  }
  .note { color: var(--soft); font-size: .88em; }
  .buttons { display: flex; flex-wrap: wrap; gap: .5rem; margin-top: .6rem; }
  button {
    min-width: 40px; min-height: 40px; padding: 0 .8em; color: inherit; background: transparent;
    border: 1px solid var(--edge); border-radius: 4px; font: inherit; font-size: .93em; cursor: pointer;
  }
  button:hover { background: var(--pale); }
  button.check { min-width: 5.5em; border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); font-weight: 600; }
  :is(button, textarea, pre):focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
  section [hidden] { display: none; }
  .right { color: var(--good); font-weight: 600; }
  .wrong { color: var(--wrong); font-weight: 600; }
  dl { margin: .3rem 0 0; }
  dl > div { display: grid; grid-template-columns: 8.5em minmax(0, 1fr); gap: 0 .6rem; padding: .2rem 0; border-bottom: 1px solid var(--line); }
  dt { color: var(--soft); font-weight: 400; }
  dd { margin: 0; }
  dd code { padding: 0; color: inherit; background: none; white-space: pre-wrap; overflow-wrap: anywhere; }
  section pre { margin: .6rem 0 0; padding: .6rem; background: var(--pale); border-radius: 4px; overflow-x: auto; }
  section pre code { color: inherit; background: none; }
}

@media (max-width: 600px) {
  .write > section { padding-inline: .7rem; }
  .write dl > div { grid-template-columns: minmax(0, 1fr); }
}
`;

document.head.append(html('style', {}, STYLE));
for (const element of document.querySelectorAll('.write:not(:has(> section))')) new Editor(element);

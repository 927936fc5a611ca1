// The worker behind write.js: Python (Pyodide) with NumPy and the package, from the files of the site. The code that
// checks a function is that of the notebook of the page: its cells with the tag `grader`.
//
// {name, code} comes in. {stage}, with {partial} for a verdict without a name, goes out, and at the end the verdict, or
// {missing: true} where the site has no Python, or {failed: message}.

const PYODIDE = new URL('../lite/static/pyodide/', import.meta.url);
const NOTEBOOK = new URL('../lite/files/learn/write_it.ipynb', import.meta.url);
let loaded = null;

async function load() {
  const answer = await fetch(new URL('pyodide-lock.json', PYODIDE));
  if (!answer.ok) return null;
  const {packages} = await answer.json(), silent = {messageCallback: () => {}};
  const notebook = await (await fetch(NOTEBOOK)).json();
  const {loadPyodide} = await import(new URL('pyodide.mjs', PYODIDE));
  const python = await loadPyodide({indexURL: PYODIDE.href});
  await python.loadPackage('numpy', silent);
  // What else the package names for its plots and tables is not loaded: a check needs none of it.
  const ours = Object.values(packages).find(({imports}) => imports.includes('irmetrics_nb'));
  const wheel = await fetch(new URL(ours.file_name, PYODIDE));
  python.unpackArchive(await wheel.arrayBuffer(), 'wheel');
  for (const {source, metadata} of notebook.cells) {
    if (metadata.tags?.includes('grader')) python.runPython([source].flat().join(''));
  }
  return python;
}

const plain = verdict => ({
  passed: verdict.passed, says: verdict.says, hint: verdict.hint, printed: verdict.printed,
  case: verdict.case.toJs({dict_converter: Object.fromEntries}),
});

onmessage = async ({data: {name, code}}) => {
  try {
    loaded ??= load();
    const python = await loaded;
    if (!python) return postMessage({missing: true});
    postMessage({stage: 'running'});
    const report = partial => postMessage({stage: 'naming', partial: plain(partial)});
    postMessage(plain(python.globals.get('check')(code, name, report)));
  } catch (error) {
    loaded = null;
    postMessage({failed: error.message.trim().split('\n').pop()});
  }
};

// A ranking under the reader's hand: results that can be moved and graded anew, and what then becomes of a measure.
//
// On a page. Every element with the class `play` is mounted when this module is loaded. What stands in it is the
// example, and all that is shown where no script runs: prose with the question, then a table whose last two columns are
// title and grade. What else is to be known stands in data-... attributes (or, as JSON, in a
// <script type="application/json"> inside, or in the options of `mount`):
//
//     <div class="play" data-measure="nDCG" data-measures="P@3 AP RR nDCG ERR" data-scale="3"
//          data-lists='{"Ann": [3, 0, 0, 1, 2, 1], "Cleo": [2, 3, 0, 0, 1, 1]}'
//          data-goal='{"above": "Cleo", "swaps": 1}'>
//
//     Can you lift Ben's list above Cleo's with a single swap of two pages?
//
//     | rank | result            | grade |
//     |:----:|-------------------|:-----:|
//     |  1   | A tulip calendar  |   1   |
//     |  2   | How to grow roses |   3   |
//
//     </div>
//
//   measure   the one that is explained, written as for the package: nDCG@5, nDCG(gain='exp'), ERR(max_grade=3).
//             Its @ is where the slider begins. Only this one is needed.
//   measures  those beside it; what has an @ keeps it, the others follow the slider
//   grades    and `titles`: the list, if there is no table. null (in a table: –) is a document that nobody judged
//   ideal     all judged grades, if there are relevant documents that were not retrieved
//   subtopics names, if a result serves subtopics instead of having a grade. A cell of the table then says "animal, car", or "none";
//             so do `grades`, `ideal` and `lists`, as [["animal", "car"], []]
//   scale     the largest grade that can be given; the largest there is. It is ERR's max_grade too
//   lists     {name: grades} to compare with and to start from
//   view      precision, gains, readers, sets, pairs or none; each measure has its own
//   goal      a question that is judged on demand: {measure, above | below | least | most | equal: x, swaps, k}. x is a number,
//             a name of `lists`, or another measure; `swaps` is how many swaps of two results are allowed (if it is not
//             given, any order); with `k: true` the slider is part of the answer. Several wishes at once:
//             {all: [{...}, {...}], swaps: 1}. `measure` is the one that is explained unless it is named.
//   question  the text above, if it does not stand in the element; **bold** is read
//   words     phrases that replace those of `words`
//   address   the parameter of the page's address that keeps the state; on a page ranking, ranking2, ranking3 ...
//
// A number of the text may be a handle, which shows in the ranking above it what it is about, from the first list on:
//
//     Ranks 1 and 6: <span class="handle" data-swap="1 6">0.960</span>
//
// data-swap names pairs of ranks ("2 5 3 4" are two pairs), data-k a cutoff, data-list one of `lists`, data-measure a
// measure. Without a script the number is text.
//
// In Python. `value`, `steps` and `mount` are what a page imports; the default export is what anywidget asks for.
// The style is a text in this file, so that one file is all that a page, a notebook or a test needs. It speaks English; a
// page in Chinese (<html lang="zh-CN">) loads play.zh.js first, as play.html does.


// ---- the language ----

// English stands where it is said: say`Only the first ${k} ranks count.` Another language has a table of phrases, loaded
// before this file (play.zh.js): {'Only the first {0} ranks count.': '只算前 {0} 名。'}. What it lacks stays English.
const PHRASES = globalThis.playPhrases ?? {};

const BESIDE_FULL_WIDTH = / (?=[，。：；？、（）])|(?<=[，。：；？、（）]) /g;  // signs with a blank of their own

function say(texts, ...values) {
  const key = texts.reduce((before, text, j) => `${before}{${j - 1}}${text}`);
  const text = (PHRASES[key] ?? key).replace(/\{(\d+)\}/g, (_, j) => values[j]);
  return key in PHRASES ? text.replace(BESIDE_FULL_WIDTH, '') : text;
}

const joined = (texts, join) => texts.length ? texts.reduce((before, text) => join(before, text)) : '';
const sentences = (...texts) => joined(texts.filter(Boolean), (a, b) => say`${a} ${b}`);
const clauses = texts => joined(texts, (a, b) => say`${a}, ${b}`);
const both = texts => joined(texts, (a, b) => say`${a}, and ${b}`);
const inTurn = texts => joined(texts, (a, b) => say`${a}, then ${b}`);
const listed = numbers => numbers.join(say`, `);
const remark = text => say` (${text})`;
const hitsText = n => n === 1 ? say`${n} hit` : say`${n} hits`;


// ---- the list, and what measures make of it ----

const sum = numbers => numbers.reduce((total, x) => total + x, 0);
const running = (numbers, total = 0) => numbers.map(x => total += x);
const judged = grade => grade != null && !Number.isNaN(grade);
const ratio = (part, whole) => whole === 0 ? 0 : part / whole;

// A list as every measure sees it: its judged documents (g grade, i rank), the number n retrieved, the pool of all
// judged grades, the best first, and those of them that were missed.
function look(grades, ideal, subtopics) {
  const documents = grades.map((g, j) => ({g, i: j + 1})).filter(d => judged(d.g));
  const pool = [...ideal ?? documents.map(d => d.g)].sort((a, b) => b - a), missed = [...pool];
  for (const {g} of documents) {
    if (missed.includes(g)) missed.splice(missed.indexOf(g), 1);
    else if (g > 0) throw new Error(`ideal lacks a grade ${g} that the list holds`);
  }
  return {documents, n: grades.length, pool, missed, subtopics};
}

// What follows takes such a list and the parameters p of a measure, k among them (null: no cutoff).
const relevant = (list, {rel}) => list.pool.filter(g => g >= rel).length;
const depth = (list, {k}) => k ?? list.n;
const within = (d, {k}) => k === null || d.i <= k;
const hits = (list, p) => list.documents.map(d => d.g >= p.rel && within(d, p) ? 1 : 0);
const first = (list, p) => hits(list, p).map((hit, j, all) => all.indexOf(1) === j ? 1 : 0);
const inOrder = (grades, list) => ({...list, documents: grades.map((g, j) => ({g, i: j + 1}))});

// P, R, F: the relevant documents that were found, divided by the places, the relevant ones there are, or both.
function places(list, p) {
  if (p.divisor === 'min(k,n)') return Math.min(depth(list, p), list.n);
  if (p.divisor === 'min(R,k)') return Math.min(depth(list, p), relevant(list, p));
  return depth(list, p);
}

const capped = (list, p) => Math.min(relevant(list, p), p.divisor === 'min(R,k)' && p.k || Infinity);
const weighedHits = (list, p) => hits(list, p).map(hit => (1 + p.beta ** 2) * hit);
const weighedTotals = (list, p) => p.beta ** 2 * relevant(list, p) + depth(list, p);
const topHits = (list, p) => hits(list, {...p, k: relevant(list, p)});

// AP: where the r-th relevant document stands at rank i, r/i.
function precisions(list, p) {
  const hit = hits(list, p), found = running(hit);
  return list.documents.map((d, j) => hit[j] * found[j] / d.i);
}

function momentsOfPrecision(list, p) {
  const R = relevant(list, p), k = p.k ?? Infinity;
  const divisors = {relevant: R, 'min(R,k)': Math.min(R, k), 'min(R,n)': Math.min(R, list.n, k)};
  return divisors[p.divisor] ?? sum(hits(list, p));
}

// CG, DCG, nDCG: what a grade is worth, times what a rank is worth.
const GAINS = {linear: g => g, exp: g => 2 ** g - 1, binary: g => g >= 1 ? 1 : 0};
const DISCOUNTS = {
  log2: i => 1 / Math.log2(i + 1),
  jarvelin: (i, b) => 1 / Math.max(1, Math.log(i) / Math.log(b)),
  ln: i => 1 / Math.log(i + 1),
};
const gains = (list, p) => list.documents.map(d => within(d, p) ? GAINS[p.gain](d.g) : 0);
const discounted = (list, p) => gains(list, p).map((gain, j) => gain * DISCOUNTS[p.discount](list.documents[j].i, p.b));
const bestDiscounted = (list, p) => Math.max(0, sum(discounted(inOrder(list.pool), p)));

// RR and ERR: the readers who stop at a document, by 1 / its rank.
const firstByRank = (list, p) => first(list, p).map((hit, j) => hit / list.documents[j].i);

// How likely a grade satisfies its reader: (2^g - 1) / 2^max_grade.
function satisfaction(list, {gain, max_grade: top}) {
  if (gain === 'linear') return g => Math.max(0, g) / (top + 1);
  return g => 2 ** (Math.max(0, g) - top) - 2 ** -top;
}

function stops(list, p) {
  const weight = p.phi === 'log2' ? DISCOUNTS.log2 : i => 1 / i, satisfied = satisfaction(list, p);
  let reading = 1;
  return list.documents.map(d => {
    const stop = reading * satisfied(d.g);
    reading *= 1 - satisfied(d.g);
    return within(d, p) ? weight(d.i) * stop : 0;
  });
}

// RBP: the reader goes on with probability p.
const persistent = (list, {p, k, ...rest}) => {
  const gain = persistentGain(list, rest);
  return list.documents.map(d => within(d, {k}) ? (1 - p) * gain(d.g) * p ** (d.i - 1) : 0);
};

// AUC: for each relevant document the others below it; one that nobody judged is among these.
function wins(list, p) {
  const hit = hits(list, p), found = running(hit), others = list.n - sum(hit);
  return list.documents.map((d, j) => hit[j] * (others - d.i + found[j]));
}

// All pairs of a relevant document and another one; NaN if there are none.
function pairs(list, p) {
  const positives = sum(hits(list, p));
  return positives * (list.n - positives) || NaN;
}

// The subtopics of a query are numbered from 0. A grade is then 1 if the document serves the first one, 2 for the second,
// 4 for the third, or the sum of these. Other measures see 1 if it is not 0. Without subtopics, the query is the only one.
const served = (g, subtopics) => subtopics ? [...Array(subtopics).keys()].filter(s => g >> s & 1) : g >= 1 ? [0] : [];
const asOneGrade = grades => grades?.map(g => judged(g) ? Math.min(1, g) : g);
const novelty = (g, list, {alpha}, seen) => sum(served(g, list.subtopics).map(s => (1 - alpha) ** (seen[s] ?? 0)));
const see = (g, list, seen) => served(g, list.subtopics).forEach(s => { seen[s] = (seen[s] ?? 0) + 1; });

// What each document adds that those above it do not.
function novelties(list, p, seen = []) {
  return list.documents.map(({g}) => {
    const gain = novelty(g, list, p, seen);
    see(g, list, seen);
    return gain;
  });
}

const novelTerms = weight => (list, p) => novelties(list, p).map((gain, j) => within(list.documents[j], p) ? gain * weight(list.documents[j].i) : 0);

// At each rank the document that adds most; among equals the one with the largest number.
function greedy(list, p, seen = []) {
  const left = [...list.pool];
  return list.pool.map(() => {
    const gains = left.map(g => novelty(g, list, p, seen)), most = Math.max(...gains);
    const [best] = left.splice(gains.findIndex(gain => gain >= most * (1 - 1e-12)), 1);
    see(best, list, seen);
    return best;
  });
}

const greedyTotal = (list, p) => sum(novelTerms(DISCOUNTS.log2)(inOrder(greedy(list, p), list), p));
const subtopicsThere = list => new Set(list.pool.flatMap(g => served(g, list.subtopics))).size;

// What k documents have that serve every subtopic.
const mostNovel = weight => (list, p) => p.divisor === 'none' ? null
  : subtopicsThere(list) * sum([...Array(depth(list, p)).keys()].map(j => (1 - p.alpha) ** j * weight(j + 1)));

// What a grade is worth to a measure.
const asNovel = (list, p) => (g, j) => novelties(list, p)[j];
const asRelevant = (list, {rel}) => g => g >= rel ? 1 : 0;
const asGain = (list, {gain}) => GAINS[gain];
const persistentGain = (list, p) => ({...GAINS, binary: asRelevant(list, p), raw: g => g >= p.rel ? g : 0})[p.gain];

// The kinds of measures, each a sum of terms divided by a normaliser (`whole`), as the package declares them.
//   params  names and defaults; a list is a choice, its first the default      at       whether it has a cutoff
//   gain    what a grade is worth to it                                        view     how it is pictured
//   linear  whether a rank has a weight, whatever stands there                 names    what else it is called
//   written how a term is written, as text and as function                     shown    the parameter that its name always says
//   order   the ideal order, if it is not that of the grades                   bound    whether it needs a cutoff
const forSets = {params: {rel: 1}, terms: hits, whole: relevant, gain: asRelevant, view: 'sets'};
const atCutoff = {at: true, linear: true};
const P = {...forSets, params: {divisor: ['k', 'min(k,n)', 'min(R,k)'], rel: 1}, whole: places};
const R = {...forSets, params: {divisor: ['relevant', 'min(R,k)'], rel: 1}, whole: capped};
const F = {...forSets, params: {beta: 1, rel: 1}, terms: weighedHits, whole: weighedTotals};
const CG = {...atCutoff, params: {gain: Object.keys(GAINS)}, terms: gains, gain: asGain, view: 'gains'};
const DCG = {...CG, params: {...CG.params, discount: Object.keys(DISCOUNTS), b: 2}, terms: discounted,
  written: ['g/log2(i+1)', ({g, i}) => g / Math.log2(i + 1)]};

const novel = {at: true, params: {alpha: 0.5}, gain: asNovel, order: greedy, view: 'gains'};
const alphaDCG = {...novel, terms: novelTerms(DISCOUNTS.log2)};

const KINDS = {
  P: {...P, ...atCutoff, names: 'Precision'},
  R: {...R, ...atCutoff, names: 'Recall'},
  F: {...F, ...atCutoff, names: 'F1'},
  SetP: {...P, names: 'SetRelP'},
  SetR: forSets,
  SetF: F,
  Rprec: {...forSets, terms: topHits, linear: true},
  Success: {...forSets, terms: first, whole: null, at: true, names: 'HR hit_rate'},
  AP: {params: {rel: 1, divisor: ['relevant', 'min(R,k)', 'min(R,n)', 'retrieved']}, at: true, terms: precisions,
    whole: momentsOfPrecision, gain: asRelevant, view: 'precision', names: 'MAP average_precision',
    written: ['r/i', ({r, i}) => r / i]},
  CG,
  DCG,
  nDCG: {...DCG, whole: bestDiscounted},
  RR: {params: {rel: 1}, at: true, terms: firstByRank, gain: asRelevant, view: 'readers', names: 'MRR reciprocal_rank',
    written: ['1/i', ({i}) => 1 / i]},
  ERR: {params: {max_grade: null, phi: ['reciprocal', 'log2'], gain: ['exp', 'linear']}, at: true, terms: stops,
    gain: satisfaction, view: 'readers', names: 'expected_reciprocal_rank',
    written: ['e*g/i', ({e, g, i}) => e * g / i]},
  RBP: {...atCutoff, shown: 'p', params: {p: 0.8, gain: ['binary', 'linear', 'exp', 'raw'], rel: 1}, terms: persistent, gain: persistentGain,
    view: 'gains', written: ['(1-p)*p**(i-1)*g', ({p, g, i}) => (1 - p) * p ** (i - 1) * g]},
  AUC: {...forSets, terms: wins, whole: pairs, view: 'pairs'},
  alpha_nDCG: {...alphaDCG, whole: greedyTotal},
  alpha_DCG: {...alphaDCG, params: {alpha: 0.5, divisor: ['most', 'none']}, whole: mostNovel(DISCOUNTS.log2), bound: true},
  ERR_IA: {...novel, terms: novelTerms(i => 1 / i), whole: mostNovel(i => 1 / i), bound: true},
  StRecall: {...novel, params: {}, terms: (list, p) => novelTerms(() => 1)(list, {...p, alpha: 1}), whole: subtopicsThere,
    gain: (list, p) => asNovel(list, {...p, alpha: 1}), order: list => greedy(list, {alpha: 1})},
};


// ---- a measure, as it is written ----

const kindOf = Object.fromEntries(Object.entries(KINDS).flatMap(
  ([name, kind]) => [name, ...kind.names?.split(' ') ?? []].map(word => [word.toLowerCase(), name])));
const A_MEASURE = /^\s*([^\s(@]+)\s*(?:\(((?:[^()'"]|'[^']*'|"[^"]*")*)\))?\s*(?:@\s*(\d+))?\s*$/;
const A_PARAMETER = /^\s*(\w+)\s*=\s*(?:'([^']*)'|"([^"]*)"|([^\s'"]+))\s*$/;
const MEASURES = /[^\s,()@]+(?:\((?:[^()'"]|'[^']*'|"[^"]*")*\))?(?:@\d+)?/g;
const OUTSIDE_QUOTES = /,(?=(?:[^'"]|'[^']*'|"[^"]*")*$)/;

// {name, params, k} of a text like nDCG(gain='exp')@5.
export function parse(text) {
  const [, word, inside, cutoff] = A_MEASURE.exec(text) ?? [];
  const name = kindOf[word?.toLowerCase()];
  const known = Object.keys(KINDS).join(' ');
  if (!name) throw new Error(`'${text}' is not a measure like nDCG@10 or P(rel=2)@5; there are ${known}`);
  const params = word.toLowerCase() === 'setrelp' ? {divisor: 'min(R,k)'} : {};
  for (const piece of inside?.split(OUTSIDE_QUOTES) ?? []) {
    const [, parameter, single, double, bare] = A_PARAMETER.exec(piece) ?? [];
    if (!parameter) throw new Error(`'${text}': give parameters by name, like rel=2`);
    params[parameter] = single ?? double ?? (bare === 'None' ? null : Number(bare));
  }
  return {name, params, k: cutoff === undefined ? null : Number(cutoff)};
}

// The measure with every parameter: those of the options win over those of the text.
function complete(measure, {k, ideal, subtopics, ...options} = {}) {
  const asked = parse(measure), kind = KINDS[asked.name], given = {...asked.params, ...options};
  const p = {k: k ?? asked.k};
  const refuse = (wrong, why) => { if (wrong) throw new Error(`${asked.name}: ${why}`); };
  for (const name of Object.keys(given)) refuse(!(name in kind.params), `there is no parameter ${name}`);
  for (const [name, standard] of Object.entries(kind.params)) {
    p[name] = given[name] ?? [standard].flat()[0];
    const choices = Array.isArray(standard) && `one of ${standard.join(' ')}`;
    const fits = choices ? standard.includes(p[name]) : p[name] === standard || Number.isFinite(p[name]);
    refuse(!fits, `${name} is ${choices || 'a number'}, not ${p[name]}`);
  }
  refuse(p.k !== null && !kind.at, 'it takes no @');
  refuse(p.k !== null && !(Number.isInteger(p.k) && p.k >= 1), `the cutoff k is a whole number >= 1, not ${p.k}`);
  refuse(p.p <= 0 || p.p >= 1, `the persistence p lies between 0 and 1, not ${p.p}`);
  refuse(p.b <= 1, `the base b is larger than 1, not ${p.b}`);
  refuse(p.beta < 0, `beta is at least 0, not ${p.beta}`);
  refuse(p.alpha < 0 || p.alpha > 1, `alpha lies between 0 and 1, not ${p.alpha}`);
  return {name: asked.name, kind, p};
}

// The parameters, with what only the judgments can tell: ERR's largest grade.
function resolved({name, p}, list) {
  const top = Math.max(0, ...list.pool), unit = name === 'RBP' && ['linear', 'exp'].includes(p.gain);
  const refuse = (wrong, why) => { if (wrong) throw new Error(`${name}: ${why}`); };
  refuse(p.max_grade <= 0 && p.max_grade !== null, `max_grade is larger than 0, not ${p.max_grade}`);
  refuse(p.max_grade && p.max_grade < top, `max_grade is ${p.max_grade}, but the judgments hold a grade ${top}`);
  refuse('b' in p && p.gain === 'exp' && top >= 1024, `the gain 2^g - 1 of grade ${top} is too large for a number`);
  refuse(unit && list.documents.some(d => d.g < 0 || d.g > 1), 'gains lie between 0 and 1');
  return name === 'ERR' ? {...p, max_grade: p.max_grade ?? (top || 1)} : p;
}

// As the package prints it: what is the default is left out, but for what has no agreed one.
function written({name, kind, p}) {
  const relative = name === 'SetP' && p.divisor === 'min(R,k)';
  const standard = name => [kind.params[name]].flat()[0];
  const differs = each => p[each] !== standard(each) && p[each] !== 'none' && !(relative && each === 'divisor');
  const said = Object.keys(kind.params).filter(each => each === kind.shown || differs(each));
  const params = said.map(name => `${name}=${typeof p[name] === 'string' ? `'${p[name]}'` : p[name]}`);
  return (relative ? 'SetRelP' : name) + (params.length ? `(${params.join(', ')})` : '') + (p.k === null ? '' : `@${p.k}`);
}


// ---- the arithmetic of one value ----

// How the value of a list comes about: its terms, what their sum is divided by (null: nothing), and row by row what
// each rank has to do with it.
export function work(measure, grades, options = {}) {
  const asked = complete(measure, options), {kind} = asked, {ideal, subtopics} = options;
  const list = subtopics && kind.order ? look(grades, ideal, subtopics) : subtopics ? look(asOneGrade(grades), asOneGrade(ideal)) : look(grades, ideal);
  const p = resolved(asked, list);
  const terms = kind.terms(list, p), whole = kind.whole ? kind.whole(list, p) : null;
  const found = {name: asked.name, kind, p, list, terms, whole, ideal: idealList(kind, list, p)};
  found.value = whole === null ? sum(terms) : ratio(sum(terms), whole);
  found.idealTerms = kind.terms(found.ideal, p);
  found.text = written({...asked, p});
  found.rows = rows(found, grades);
  return found;
}

// All judged documents, the best first; no more than were retrieved, where the length of the list counts.
function idealList(kind, list, p) {
  const longer = {...list, n: list.n + 1};
  const lengthCounts = kind.whole && kind.whole(list, p) !== kind.whole(longer, p);
  const pool = kind.order ? kind.order(list, p) : list.pool;
  return inOrder(lengthCounts ? pool.slice(0, list.n) : pool, list);
}

function rows({kind, p, list, terms, idealTerms}, grades) {
  const gain = kind.gain(list, p), weight = kind.linear ? weights(kind, list, p) : [];
  const empty = j => ({rank: j + 1, term: 0, ideal: idealTerms[j] ?? 0, weight: weight[j] ?? null});
  const found = grades.map((grade, j) => ({grade, ...empty(j)}));
  list.documents.forEach((d, j) => {
    const row = found[d.i - 1];
    row.gain = gain(d.g, j);
    row.term = terms[j];
    row.weight ??= row.gain ? row.term / row.gain : null;
  });
  running(found.map(row => row.term)).forEach((soFar, j) => { found[j].running = soFar; });
  return found;
}

// What one unit of gain is worth at each rank: that of the best grade, standing everywhere.
function weights(kind, list, p) {
  const [best] = list.pool, unit = best === undefined ? 0 : kind.gain(list, p)(best);
  if (!(unit > 0)) return [];
  return kind.terms(inOrder(Array(list.n).fill(best), list), p).map(term => term / unit);
}

// The value of a list of grades in rank order (null: nobody judged it). Options: k, ideal (all judged grades of the
// query) and the parameters of the measure by name; they win over what the text says.
export function value(measure, grades, options = {}) {
  return work(measure, grades, options).value;
}

// The precision-recall curve of a list: its point after each rank, the highest precision at the recall of each relevant
// document or further on, and the same at the eleven recalls 0, 0.1 ... 1. What lies behind the cutoff is not read yet.
export function precisionRecall(measure, grades, options = {}) {
  return curvePoints(work(measure, grades, options));
}

function curvePoints({rows, list, p}) {
  const R = relevant(list, p), read = rows.slice(0, p.k ?? rows.length), found = running(read.map(row => row.gain ?? 0));
  const points = read.map(({rank, gain}, j) => ({rank, hit: gain === 1, found: found[j], recall: ratio(found[j], R), precision: found[j] / rank}));
  const best = least => Math.max(0, ...points.filter(point => point.found >= least).map(point => point.precision));
  const highest = points.filter(point => point.hit).map(point => best(point.found));
  const eleven = Array.from({length: 11}, (_, j) => best(j * R / 10));
  return {R, missed: R - sum(rows.map(row => row.gain ?? 0)), points, highest, eleven};
}


// ---- the arithmetic as text ----

const SHOWN = 12;  // terms that are written out

// AP = (1/1 + 2/4 + 3/5 + 4/6) / 4 = 0.6917
export function steps(measure, grades, options = {}) {
  return line(work(measure, grades, options));
}

const line = found => asText(pieces(found));
const asText = some => some.map(piece => piece.text ?? piece).join('');

// The line in pieces: texts, and the terms as {text, rank}.
function pieces(found) {
  const earned = found.terms.filter(x => x !== 0);
  let [top, note] = sumPieces(termPieces(found, found.list, found.terms), earned);
  if (found.whole === 0) note = say`a division by 0 counts as 0`;
  if (Number.isNaN(found.whole)) return [`${found.text} = 0 / 0 = nan${remark(say`there is no pair`)}`];
  if (found.whole !== null) top = [...bracketed(top), ' / ', ...bracketed(wholePieces(found))];
  return [`${found.text} = `, ...top, ` = ${decimals(found.value)}`, note ? remark(note) : ''];
}

// Each term that is not 0, with its rank: in the form of the measure, if that fits, else as a number.
function termPieces(found, list, terms) {
  const [form] = found.kind.written ?? [], fits = form && formFits(found);
  const values = fits ? letters(found, list) : [];
  const piece = (x, j) => ({text: fits ? putIn(form, values[j]) : numberText(x), rank: list.documents[j].i});
  return terms.flatMap((x, j) => x === 0 ? [] : [piece(x, j)]);
}

const termTexts = (found, list, terms) => termPieces(found, list, terms).map(({text}) => text);

function formFits({kind, list, terms, ideal, idealTerms, p}) {
  const [, worth] = kind.written, near = (x, y) => y === 0 || Math.abs(x - y) <= 1e-9 * Math.abs(y);
  const fits = (some, earned) => letters({kind, p}, some).every((values, j) => near(worth(values), earned[j]));
  return fits(list, terms) && fits(ideal, idealTerms);
}

// What the letters of a form stand for: i rank, g gain, r relevant documents so far, e the readers who get there.
function letters({kind, p}, list) {
  const gain = kind.gain(list, p), found = 'rel' in p ? running(hits(list, {...p, k: null})) : [];
  let e = 1;
  return list.documents.map((d, j) => {
    const values = {...p, i: d.i, g: gain(d.g), r: found[j], e};
    e *= 1 - values.g;
    return values;
  });
}

// The form with numbers for its letters: log2(3) for log2(2+1), and no factor 1.
function putIn(form, values) {
  const inBrackets = text => /\//.test(text) || text[0] === '-' ? `(${text})` : text;
  return form
    .replace(/\b[a-z]\b/g, letter => inBrackets(numberText(values[letter])))
    .replace(/(\w*)\((\d+)([+-])(\d+)\)/g, (_, name, a, sign, b) => {
      const result = Number(a) + (sign === '+' ? 1 : -1) * Number(b);
      return name ? `${name}(${result})` : `${result}`;
    })
    .replace(/\*1(?![\w.*])/g, '')
    .replace(/(?<![\w./*])1\*(?!\*)/g, '');
}

function sumPieces(addends, terms) {
  const plus = some => some.flatMap((piece, j) => j ? [' + ', piece] : [piece]);
  if (addends.length > SHOWN && addends.every(({text}) => text === '1')) return [[`${addends.length}`], ''];
  if (addends.length <= SHOWN + 1) return [addends.length ? plus(addends) : ['0'], ''];
  const rest = numberText(sum(terms.slice(SHOWN)));
  return [plus([...addends.slice(0, SHOWN), rest]), say`${rest} is the sum of ${addends.length - SHOWN} more terms`];
}

// The normaliser: a number, or the terms of the ideal list if it is their sum and no short number.
function wholePieces(found) {
  const {whole, ideal, idealTerms} = found, earned = idealTerms.filter(x => x !== 0);
  const short = whole * MOST % 1 === 0, same = Math.abs(sum(idealTerms) - whole) <= 1e-12 * Math.abs(whole);
  if (short || !same || found.kind.order || earned.length < 2) return [numberText(whole)];
  return sumPieces(termPieces(found, ideal, idealTerms), earned)[0];
}

const bracketed = some => /[-+/* ]/.test(asText(some)) ? ['(', ...some, ')'] : some;

const MOST = 4096;  // the largest denominator that is shown

// A number as text: exact if it is a short decimal or a small fraction, else rounded.
function numberText(x) {
  if (Math.abs(x) >= 1e15) return significant(x, 6);
  if (Number(x.toFixed(4)) === x) return `${x}`;
  const whole = Math.floor(x), part = x - whole;
  for (let d = 1; d <= MOST; d++) {
    const n = Math.round(part * d);
    if (Math.abs(n / d - part) >= 1e-12) continue;
    return d === 1 ? `${whole + n}` : `${BigInt(whole) * BigInt(d) + BigInt(n)}/${d}`;
  }
  return Math.abs(x) >= 0.01 ? decimals(x) : significant(x, 3);
}

// Rounded to four decimals. What lies half-way (an odd number of 32nds) goes to the even neighbour, as in Python.
function decimals(x) {
  if (Math.abs(x * 32 % 2) !== 1) return x.toFixed(4);
  const below = Math.floor(x * 1e4);
  return ((below + below % 2) / 1e4).toFixed(4);
}

// Rounded to some significant digits, as Python's format 'g' has it.
function significant(x, digits) {
  const [mantissa, power] = x.toExponential(digits - 1).split('e');
  const strip = text => text.includes('.') ? text.replace(/\.?0+$/, '') : text;
  if (power >= -4 && power < digits) return strip(x.toFixed(digits - 1 - power));
  return `${strip(mantissa)}e${power < 0 ? '-' : '+'}${`${Math.abs(power)}`.padStart(2, '0')}`;
}


// ---- the page ----

// Puts a ranking to play with into an element, in the place of the table there. The head of this file describes the
// options; if they are refused, the element stays as it was.
export function mount(element, options = {}) {
  return new Play(element, options);
}

const maker = space => (tag, attributes = {}, ...inside) => {
  const made = document.createElementNS(space, tag);
  for (const [name, given] of Object.entries(attributes)) {
    if (typeof given === 'function') made.addEventListener(name, given);
    else if (given != null) made.setAttribute(name, given);
  }
  made.append(...inside.flat().filter(part => part != null && part !== false));
  return made;
};
const html = maker('http://www.w3.org/1999/xhtml');
const svg = maker('http://www.w3.org/2000/svg');

const UP = 'M8 13V3M3.5 7.5 8 3l4.5 4.5', DOWN = 'M8 3v10M3.5 8.5 8 13l4.5-4.5';
const SWAP = 'M3 5.5h9.5m-3-3 3 3-3 3M13 10.5H3.5m3-3-3 3 3 3';
const icon = path => svg('svg', {viewBox: '0 0 16 16', 'aria-hidden': true}, svg('path', {d: path}));

// Three decimals. What lies half-way goes away from 0, as by hand: 0.8875 is 0.888.
const short = x => Number.isNaN(x) ? '–' : (x + Math.sign(x) * 1e-12).toFixed(3).replace('-', '−');
const signed = x => !(Math.abs(x) >= 5e-4) ? '' : x < 0 ? short(x) : `+${short(x)}`;
const gradeText = grade => judged(grade) ? `${grade}` : '–';

// What an element says of itself; `kept` is the part of it that stays: all but the table.
function read(element) {
  const script = element.querySelector('script[type="application/json"]'), table = element.querySelector('table');
  const config = script ? JSON.parse(script.textContent) : {};
  for (const [name, text] of Object.entries(element.dataset)) config[name] ??= literal(text);
  const cells = row => [...row.cells].slice(-2).map(cell => cell.textContent.trim());
  const rows = [...table?.tBodies[0].rows ?? []].map(cells);
  const number = grade => grade === '' || Number.isNaN(Number(grade)) ? null : Number(grade);
  config.titles ??= rows.map(([title]) => title);
  config.grades ??= rows.map(([, cell]) => !config.subtopics ? number(cell) : cell === '–' ? null : cell.split(', '));
  const stays = part => part !== script && !part.contains(table);
  return {...config, kept: table || script ? [...element.children].filter(stays) : []};
}

// Names of subtopics as a number, and back.
function numbered(names, subtopics) {
  if (!Array.isArray(names)) return names;
  const unknown = names.find(name => ![...subtopics, 'none'].includes(name));
  if (unknown !== undefined) throw new Error(`there is no subtopic ${unknown}`);
  return sum(subtopics.map((name, s) => names.includes(name) ? 2 ** s : 0));
}
const namesOf = (g, subtopics) => judged(g) ? served(g, subtopics.length).map(s => subtopics[s]) : null;

function literal(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

class Play {
  constructor(element, options) {
    const config = {...read(element), ...options};
    this.words = {...words, ...config.words};
    this.subtopics = config.subtopics?.length ? config.subtopics : null;
    const numbers = grades => this.subtopics ? grades?.map(names => numbered(names, this.subtopics)) : grades;
    this.lists = Object.fromEntries(Object.entries(config.lists ?? {}).map(([name, grades]) => [name, numbers(grades)]));
    this.question = config.goal && {...config.goal, all: config.goal.all ?? [config.goal]};
    this.view = config.view;
    this.changed = config.changed ?? (() => {});
    this.past = [];
    this.setMeasures(config);
    this.setList({...config, grades: numbers(config.grades), ideal: numbers(config.ideal)});
    this.build(element, config);
    this.address = config.address;
    this.readAddress();
    this.draw();
  }

  // The measure that is explained follows the slider, which begins at its @.
  setMeasures({measure = 'nDCG', measures = [], k}) {
    const spelt = text => written(complete(text)), asked = complete(measure);
    this.measure = this.asked = written({...asked, p: {...asked.p, k: null}});
    this.k = k ?? asked.p.k;
    const named = (Array.isArray(measures) ? measures : measures.match(MEASURES)).map(spelt);
    const all = named.map(text => text === spelt(measure) ? this.measure : text);
    this.measures = all.includes(this.measure) ? all : [this.measure, ...all];
  }

  setList({grades, titles = [], ideal, scale}) {
    if (!grades.length) throw new Error('there is no list: neither `grades` nor a table that ends in title and grade');
    this.order = grades.map((grade, j) => ({grade, title: titles[j] ?? `d${j + 1}`}));
    this.pool = ideal ?? grades.filter(judged);
    this.missed = look(grades, this.pool).missed;
    this.scale = this.subtopics ? 2 ** this.subtopics.length - 1 : scale ?? Math.max(1, ...this.pool, ...Object.values(this.lists).flat());
    this.start = this.first = this.now;
    this.measures.forEach(measure => this.work(measure));
  }

  // ---- what is so now ----

  get grades() { return this.order.map(item => item.grade); }

  // All that is needed to compute it again later; `swaps` is how many changes of the order the reader has made.
  get now() { return {order: this.order, grades: this.grades, k: this.k, swaps: this.swaps ?? 0}; }

  // And what is asked: the list that the question begins with, and the two measures that shall disagree, if it is that.
  get state() { return {...this.now, start: this.start, pair: this.pair}; }

  restore({order, grades, k, swaps, start = this.start, pair = this.pair}) {
    this.order = order.map((item, j) => Object.assign(item, {grade: grades[j]}));
    if (start !== this.start || pair !== this.pair) this.failed = false;
    Object.assign(this, {k, swaps, start, pair, chosen: null});
  }

  // What is asked for: that of the page, or that one measure rises and the other one falls.
  get goal() {
    if (!this.pair) return this.question;
    const [up, down] = this.pair, before = measure => this.work(measure, this.start).value;
    return {all: [{measure: up, above: before(up)}, {measure: down, below: before(down)}], depth: 2};
  }

  // Is the value to be predicted, and not yet shown?
  get secret() { return Boolean(this.predicting && !this.revealed); }

  // The arithmetic of a measure in a state.
  work(measure = this.measure, {grades, k} = this.now) {
    return work(measure, grades, this.options(measure, k, [...grades.filter(judged), ...this.missed]));
  }

  // The same for the list before the last deed, with the cutoff of now: a change is that of the list.
  workBefore(measure = this.measure) { return this.last && this.work(measure, {...this.last, k: this.k}); }

  // The value of another list, for which the judgments of the beginning count.
  valueOf(list, measure, k = this.k) {
    return value(measure, this.lists[list], this.options(measure, k, this.pool));
  }

  options(measure, k, ideal) {
    const {kind, p} = complete(measure), top = this.subtopics ? 1 : Math.max(this.scale, ...ideal);
    return {ideal, subtopics: this.subtopics?.length, k: this.cutoffOf(kind, p, k), ...'max_grade' in p && {max_grade: p.max_grade ?? top}};
  }

  cutoffOf({at, bound}, p, k) { return at ? p.k ?? k ?? (bound ? this.order.length : null) : null; }

  // How a measure is called: with the cutoff that it has now.
  label(measure, k = this.k) {
    const asked = complete(measure);
    return written({...asked, p: {...asked.p, k: this.cutoffOf(asked.kind, asked.p, k)}});
  }

  // ---- what a reader does ----

  // Does something that can be undone; `before` is the state that it is compared with.
  act(deed, text, before = this.state) {
    if (this.past.at(-1) !== before) this.past.push(before);
    this.revealed = false;
    this.see(deed, text, before);
  }

  // Does something, and says what became of it; `text` names the deed.
  see(deed, text, before = null) {
    deed();
    this.last = before;
    this.outcome = null;
    this.draw();
    this.tellNow(text());
    this.writeAddress();
    this.changed(this);
  }

  tellNow(text) {
    const {value: now} = this.work(), before = this.workBefore(), change = before ? now - before.value : 0;
    const shown = this.secret ? ['?', ''] : [short(now), signed(change)];
    this.tell(this.words.now(text, this.label(this.measure), ...shown));
  }

  tell(text) { this.parts.said.textContent = text; }

  // To move a result, however far, is one change.
  move(item, to, before = this.state) {
    const from = this.order.indexOf(item), n = this.order.length, rest = this.order.filter(other => other !== item);
    if (to < 0 || to >= n) return this.tell(this.words.end(item.title, from + 1));
    const swaps = before.swaps + (to === before.order.indexOf(item) ? 0 : 1);
    const deed = () => Object.assign(this, {order: rest.toSpliced(to, 0, item), swaps});
    return this.act(deed, () => this.words.moved(item.title, to + 1, n), before);
  }

  // The first press chooses, the second swaps.
  choose(item) {
    const other = this.chosen;
    this.chosen = other ? null : item;
    if (!other || other === item) {
      this.draw();
      return this.tell(other ? '' : this.words.chosen(item.title));
    }
    const [a, b] = [other, item].map(one => this.order.indexOf(one)).sort((x, y) => x - y);
    const deed = () => Object.assign(this, {order: swapped(this.order, a, b), swaps: this.now.swaps + 1});
    return this.act(deed, () => this.words.swapped(a + 1, b + 1));
  }

  // The next whole grade; behind the largest, none where some results have none, and 0 again.
  regrade(item) {
    const next = judged(item.grade) ? Math.floor(item.grade) + 1 : 0;
    const empty = this.first.grades.every(judged) ? 0 : null;
    const deed = () => { item.grade = next > this.scale ? empty : next; };
    this.act(deed, () => this.words.graded(item.title, gradeText(item.grade)));
  }

  // A subtopic more, or less.
  serve(item, s) {
    const deed = () => { item.grade = (item.grade ?? 0) ^ 2 ** s; };
    this.act(deed, () => this.words.served(item.title, this.subtopics[s], item.grade >> s & 1));
  }

  // Until the slider is let go, all of it is one deed.
  cut(k) {
    this.sliding ??= this.state;
    this.act(() => { this.k = k; }, () => this.words.cut(k), this.sliding);
  }

  // The list of somebody: each of its grades takes the first result that has it.
  load(name) { this.act(() => this.restore({...this.now, ...this.listOf(name)}), () => this.words.loaded(name)); }

  listOf(name) {
    const {order, grades} = this.first, left = grades.map((grade, j) => [grade, order[j]]);
    const take = grade => left.splice(Math.max(0, left.findIndex(([g]) => g === grade)), 1)[0][1];
    const taken = this.lists[name].map(take);
    return {order: taken, grades: this.lists[name], swaps: swapsBetween(this.start.order, taken)};
  }

  // Back to where the question began; from there to the list of the page.
  again() {
    if (this.atStart && this.start === this.first) return this.tellNow(this.words.loaded());
    const target = this.atStart ? {...this.first, start: this.first, pair: null} : this.start;
    this.past.push(this.state);
    this.revealed = false;
    this.see(() => this.restore(target), () => this.words.loaded());  // a beginning has no list before it
  }

  get atStart() {
    const {order, grades, k, swaps} = this.start, now = this.now;
    return `${now.grades}` === `${grades}` && now.k === k && now.swaps === swaps && order.every((item, j) => item === now.order[j]);
  }

  undo() {
    const state = this.past.pop();
    if (!state) return this.tell(this.words.nothing);
    this.sliding = null;
    return this.see(() => this.restore(state), () => this.words.undone);
  }

  // What a handle of the text is about, from the first list on. If the ranking is out of sight, it comes into view, with
  // a button that leads back to the handle.
  jump({swap = '', k, list, measure}, handle) {
    const pairs = [...swap.matchAll(/(\d+)\s+(\d+)/g)].map(([, a, b]) => [a - 1, b - 1]);
    const {first} = this, base = {...first, start: first, pair: null};
    this.act(() => {
      this.restore(list ? {...base, ...this.listOf(list)} : base);
      this.order = pairs.reduce((order, [a, b]) => swapped(order, a, b), this.order);
      this.swaps += pairs.length;
      if (k) this.k = Number(k);
      this.measure = this.measures.find(one => this.label(one) === measure) ?? this.asked;
    }, () => this.words.handled);
    this.comeIntoView(handle);
  }

  comeIntoView(handle) {
    const {all, back, value} = this.parts, {top, bottom} = value.getBoundingClientRect();
    this.handle = handle;
    back.hidden = !handle || top >= 0 && bottom <= innerHeight;
    if (!back.hidden) scrollTo(all, 'start');
  }

  // Back to the handle of the text.
  goBack() {
    this.parts.back.hidden = true;
    this.handle.focus({preventScroll: true});
    scrollTo(this.handle, 'center');
  }

  explain(measure) {
    this.measure = measure;
    this.view = null;
    this.see(() => {}, () => this.words.explained, this.last);
  }

  // ---- other tasks ----

  // The same results in another order, that has not answered the question yet, and can.
  deal() {
    const {first, question} = this, before = this.state, past = `${this.grades}`;
    const fits = start => {
      if (`${start.grades}` === past) return false;
      if (!question) return true;
      this.restore({...start, start, pair: null});
      return !this.wishes(start).every(wish => wish.right) && this.answers().length > 0;
    };
    let tries = Array.from({length: 30}, () => shuffled(first));
    if (question) tries = [...tries, ...this.unsolved()];
    const start = tries.find(fits) ?? tries[0];
    this.restore(before);
    this.act(() => this.restore({...start, start, pair: null}), () => this.words.dealt);
    this.last = null;
    this.draw();
  }

  // Lists from which an answer to the question of the page can be reached: such an answer, undone by other swaps.
  unsolved() {
    this.restore({...this.first, start: this.first, pair: null});
    const gradeOf = new Map(this.first.order.map((item, j) => [item, this.first.grades[j]]));
    const apart = ({order}) => {
      for (let swaps = 0; swaps < (this.question.swaps ?? 3); swaps++) order = pickOne(nextSwaps({order, way: []})).order;
      return {...this.first, order, grades: order.map(item => gradeOf.get(item))};
    };
    const answers = this.answers();
    return answers.length ? Array.from({length: 30}, () => apart(pickOne(answers))) : [];
  }

  // From here on one measure shall rise and another one fall: the one that is explained and the next that can. Where no
  // two swaps do that, the task begins with another order, or is about two other measures.
  disagree() {
    const {measures, measure, first} = this, here = {...this.now, swaps: 0}, at = measures.indexOf(measure), before = this.state;
    const turned = [...measures.slice(at), ...measures.slice(0, Math.max(0, at))], pairs = this.apart(turned);
    const shown = ([up, down]) => this.pair?.includes(up) && this.pair.includes(down), explained = pair => pair.includes(measure);
    const sorted = [...pairs.filter(pair => explained(pair) && !shown(pair)), ...pairs.filter(pair => explained(pair) && shown(pair)), ...pairs.filter(pair => !explained(pair))];
    const tasks = [here, ...someOrders(first).map(state => ({...state, swaps: 0}))].flatMap(start => sorted.map(pair => ({start, pair})));
    const task = tasks.find(({start, pair}) => {
      this.restore({...start, start, pair});
      return this.answers().length;
    });
    this.restore(before);
    if (!task) return this.tell(this.words.agree);
    const {start, pair} = task, told = start === here && explained(pair) ? this.words.explained : this.words.elsewhere(this.label(measure));
    return this.act(() => this.restore({...start, start, pair}), () => told);
  }

  // The pairs of measures of which one rises and the other one falls between some orders of the first list.
  apart(measures) {
    const orders = [this.first, ...someOrders(this.first)], values = measures.map(measure => orders.map(state => this.work(measure, {...state, k: this.k}).value));
    const differ = (up, down) => orders.some((_, i) => orders.some((_, j) => RELATIONS.above(up[i], up[j]) && RELATIONS.below(down[i], down[j])));
    return measures.flatMap((up, a) => measures.flatMap((down, b) => differ(values[a], values[b]) ? [[up, down]] : []));
  }

  // From here on every value is hidden until the reader has said what it is. Where it has just been said, it is hidden anew.
  predict() {
    this.predicting = !this.secret;
    this.revealed = false;
    this.outcome = null;
    this.draw();
    this.tell(this.predicting ? this.words.predicting(this.label(this.measure)) : '');
    if (this.predicting) this.parts.guess.focus();
  }

  // The highest precision at each recall or further on, and the eleven points, beside the curve.
  interpolate() {
    this.interpolated = !this.interpolated;
    this.draw();
    this.tell(this.interpolated ? this.words.eleven(short(sum(curvePoints(this.work()).eleven) / 11)) : '');
  }

  // ---- the address ----

  // ranking=6-3_1-1*k3*s1*a1-1_6-3: the results by their first ranks with grades, the cutoff, the swaps, the list that
  // the question began with, the measure that is explained, the two that shall disagree, and what can be undone, each
  // as list.cutoff.swaps.
  get link() {
    const {order} = this.first, number = measure => this.measures.indexOf(measure);
    const spelt = state => state.order.map((item, j) => `${order.indexOf(item) + 1}-${state.grades[j] ?? 'x'}`).join('_');
    const parts = [spelt(this.now), `k${this.k ?? ''}`, `s${this.now.swaps}`, `a${spelt(this.start)}`];
    const past = this.past.filter(({start, pair}) => start === this.start && pair === this.pair);
    const kept = past.length > UNDONE ? [past[0], ...past.slice(1 - UNDONE)] : past;
    const undo = kept.map(state => [spelt(state), state.k ?? '', state.swaps].join('~'));
    return [...parts, `m${number(this.measure)}`, ...this.pair ? [`d${this.pair.map(number).join('_')}`] : [],
      ...undo.length ? [`u${undo.join('!')}`] : []].join('*');
  }

  writeAddress() {
    if (!this.address) return;
    const place = new URL(location.href), same = this.atStart && this.start === this.first && this.measure === this.asked;
    if (same) place.searchParams.delete(this.address);
    else place.searchParams.set(this.address, this.link);
    history.replaceState(history.state, '', place);
  }

  readAddress() {
    const text = this.address && new URL(location.href).searchParams.get(this.address);
    if (!text) return;
    const state = this.stateOf(text);
    if (!state) return this.tell(this.words.unreadable);
    const {past, ...now} = state;
    this.restore(now);
    this.past = past;
  }

  // What an address says, or nothing if this ranking cannot be meant.
  stateOf(text) {
    const [list, ...more] = text.split('*'), part = Object.fromEntries(more.map(one => [one[0], one.slice(1)]));
    const {order} = this.first, n = order.length, whole = /^\d+$/;
    const listed = spelt => {
      const found = [...(spelt ?? '').matchAll(/(?:^|_)(\d+)-(x|-?[\d.]+)/g)];
      const items = found.map(([, rank]) => order[rank - 1]), grades = found.map(([, , g]) => g === 'x' ? null : Number(g));
      const fits = items.length === n && new Set(items).size === n && items.every(Boolean);
      return fits && grades.every(g => g === null || g <= this.scale) ? {order: items, grades} : null;
    };
    const now = listed(list), start = listed(part.a), pair = part.d?.split('_').map(j => this.measures[j]);
    if (!now || !start || pair?.some(measure => !measure)) return null;
    const cutoff = text => whole.test(text) && text >= 1 ? Math.min(text, this.deepest) : null, k = cutoff(part.k);
    const number = text => whole.test(text) ? Number(text) : 0;
    this.measure = this.measures[part.m] ?? this.measure;
    const sameList = start.order.every((item, j) => item === order[j]) && `${start.grades}` === `${this.first.grades}`;
    const from = sameList && !pair ? this.first : {...start, k: pair ? k : this.first.k, swaps: 0};
    const again = {start: from, pair: pair ?? null}, undo = part.u?.split('!').map(one => one.split('~')) ?? [];
    const past = undo.map(([spelt, depth, swaps]) => ({...listed(spelt), k: cutoff(depth), swaps: number(swaps), ...again}));
    return {...now, k, swaps: number(part.s), ...again, past: past.filter(state => state.order)};
  }

  // Copies it, where the browser lets a page do so.
  share() {
    const place = new URL(location.href);
    place.searchParams.set(this.address, this.link);
    history.replaceState(history.state, '', place);
    const told = copied => this.tell(this.words.linked(copied));
    return navigator.clipboard?.writeText(place.href).then(() => told(true), () => told(false)) ?? told(false);
  }

  // With a pointer a result is dragged by its rank, line by line; all of it counts as one move.
  letDrag(list) {
    let before;
    list.addEventListener('pointerdown', event => {
      const item = this.order.find(one => one.row.place === event.target);
      if (event.button !== 0 || !item) return;
      event.preventDefault();
      list.setPointerCapture(event.pointerId);
      before = this.state;
      this.dragged = item;
      item.row.line.classList.add('dragged');
    });
    list.addEventListener('pointermove', event => {
      if (!this.dragged) return;
      const y = event.clientY - list.getBoundingClientRect().top;
      const above = ({row: {line}}) => line.offsetTop + line.offsetHeight / 2 < y;
      const to = this.order.filter(item => item !== this.dragged && above(item)).length;
      if (to !== this.order.indexOf(this.dragged)) this.move(this.dragged, to, before);
    });
    list.addEventListener('lostpointercapture', () => {
      this.dragged?.row.line.classList.remove('dragged');
      this.dragged = null;
    });
  }

  // ---- the question ----

  // What is wished for, in a state: is it so, and in words.
  wishes({grades, k}) {
    const {goal} = this, state = {grades, k: goal.k ? k : this.start.k};
    return goal.all.map(wish => {
      const measure = wish.measure ?? this.asked, found = this.work(measure, state).value;
      const relation = Object.keys(RELATIONS).find(name => name in wish);
      const [aim, spelt] = this.aim(wish[relation], measure, state), right = RELATIONS[relation](found, aim);
      const name = this.label(measure, state.k), task = `${name} ${this.words[relation][0]} ${spelt}`;
      const text = this.words.wish(name, short(found), this.words[relation], right, spelt);
      return {measure, state, found, relation, right, text, task};
    });
  }

  // The number that is aimed at, and how it is spelt: itself, the value of another list, or that of another measure.
  aim(target, measure, state) {
    if (typeof target === 'number') return [target, Number(target.toFixed(3)) === target ? `${target}` : short(target)];
    const list = target in this.lists;
    const x = list ? this.valueOf(target, measure, state.k) : this.work(target, state).value;
    return [x, list ? this.words.of(target, short(x)) : `${this.label(target, state.k)} ${short(x)}`];
  }

  // Judges what the reader has done, or said.
  check() {
    const guess = this.secret ? this.guessed() : null;
    this.outcome = this.secret ? guess : this.verdict();
    if (guess?.said !== undefined) this.revealed = true;
    if (!guess && !this.outcome.right) this.failed = true;
    this.draw();
    if (guess && this.revealed) this.tellNow(this.words.explained);
  }

  // What is to be said of a prediction.
  guessed() {
    const said = readNumber(this.parts.guess.value), {value: now} = this.work();
    if (!Number.isFinite(said)) return {right: false, text: this.words.noNumber};
    const right = Math.abs(said - now) <= CLOSE;
    return {right, said, text: this.words.predicted(this.label(this.measure), short(now), short(said), right, short(Math.abs(said - now)), said > now)};
  }

  // What is to be said of a try: {right, text}.
  verdict() {
    const {goal, words, start} = this, wrong = text => ({right: false, text}), {swaps} = this.now;
    const gradeOf = new Map(start.order.map((item, j) => [item, start.grades[j]]));
    if (this.order.some(item => item.grade !== gradeOf.get(item))) return wrong(this.subtopics ? words.reassigned : words.regraded);
    if (this.atStart) return wrong(words.untouched);
    const needed = swapsBetween(start.order, this.order);
    if (swaps > goal.swaps) return wrong(words.far(swaps, goal.swaps));
    if (needed > goal.swaps) return wrong(words.shifted(needed, goal.swaps));
    const wishes = this.wishes(this.now), failed = wishes.filter(wish => !wish.right);
    const reason = swaps && failed.length ? this.reason(failed[0]) : '';
    if (failed.length) return wrong(words.wrong(failed.map(wish => wish.text), reason));
    return {right: true, text: words.right(wishes.map(wish => wish.text))};
  }

  // Why it fails: the terms that are others than at the beginning.
  reason({measure, state}) {
    const [before, now] = [{...this.start, k: state.k}, state].map(one => this.work(measure, one).rows);
    const terms = now.map(({rank, term}, j) => ({rank, now: short(term), before: short(before[j].term)}));
    return this.words.reason(terms.filter(x => x.now !== x.before));
  }

  // The answers that need the fewest swaps, each with its way there.
  answers() {
    const {order, grades, k} = this.start, gradeOf = new Map(order.map((item, j) => [item, grades[j]]));
    const {goal} = this, cutoffs = goal.k ? order.map((_, j) => j + 1) : [k], seen = new Set();
    const graded = state => ({...state, grades: state.order.map(item => gradeOf.get(item))});
    const judge = state => ({...state, wishes: this.wishes(state)});
    let states = [graded({order, way: []})];
    for (let swaps = 0; swaps <= (goal.swaps ?? goal.depth ?? 3); swaps++) {
      const tried = states.flatMap(state => cutoffs.map(k => judge({...state, k})));
      const right = tried.filter(state => state.wishes.every(wish => wish.right));
      if (right.length) return right;
      const fresh = states.filter(({grades}) => !seen.has(`${grades}`) && seen.add(`${grades}`));
      states = fresh.flatMap(nextSwaps).map(graded);
    }
    return [];
  }

  // Shows the best of them, by the first wish.
  answer() {
    const answers = this.answers();
    if (!answers.length) return this.tell(this.words.none);
    const downwards = ['below', 'most'].includes(answers[0].wishes[0].relation) ? -1 : 1;
    const [best] = answers.sort((x, y) => downwards * (y.wishes[0].found - x.wishes[0].found));
    this.parts.again.focus();  // its own button goes
    const {order, grades, way} = best, k = this.goal.k ? best.k : this.start.k, many = answers.length;
    this.act(() => this.restore({order, grades, k, swaps: way.length}), () => this.words.answer(way, this.goal.k ? k : null, many));
    this.outcome = this.verdict();
    this.draw();
  }

  // ---- what is seen ----

  build(element, {kept, question, address}) {
    const {words, lists} = this, n = this.order.length;
    this.deepest = Math.max(n, this.k ?? 0);  // of the slider; behind it is the whole list
    const button = (text, click) => html('button', {type: 'button', click}, text);
    const cut = ({target}) => this.cut(target.value > this.deepest ? null : Number(target.value));
    const enter = event => { if (event.key === 'Enter') this.check(); };
    const letGo = () => { this.sliding = null; };
    const text = {type: 'text', autocomplete: 'off', size: 6, keydown: enter};
    const parts = this.parts = {
      ask: html('div', {}, kept, question && html('p', {}, bold(question))), task: html('p'),
      name: html('span'), value: html('strong'), change: html('span', {class: 'change'}),
      slider: html('input', {type: 'range', min: 1, max: this.deepest + 1, input: cut, change: letGo}), cutoff: html('output'),
      legend: html('p', {class: 'legend'}), list: html('ol', {role: 'list'}), after: html('p', {class: 'after'}),
      picture: html('div', {class: 'picture'}), verdict: html('p'),
      said: html('p', {}, sentences(this.goal?.swaps ? words.hintToSwap : words.hint, this.subtopics ? words.hintToServe : words.hintToGrade)),
      guess: html('input', text), check: button(words.check, () => this.check()), count: html('span', {class: 'count'}),
      undo: button(words.undo, () => this.undo()), again: button(words.again, () => this.again()),
      back: html('button', {type: 'button', hidden: '', click: () => this.goBack()}, words.toText),
      interpolate: button(words.interpolate, () => this.interpolate()),
      predict: button(words.predict, () => this.predict()), answer: button(words.show, () => this.answer()),
      steps: html('code'), ranks: html('table', {class: 'ranks'}),
    };
    this.order.forEach(item => { item.row = this.buildRow(item); });
    this.letDrag(parts.list);
    parts.depth = html('label', {}, words.cutoff, parts.slider, parts.cutoff);
    parts.guessing = html('label', {}, parts.asked = html('span'), parts.guess);
    const deal = n > 1 && button(words.deal, () => this.deal());
    const disagree = this.apart(this.measures).length > 0 && button(words.disagree, () => this.disagree());
    const share = address && button(words.share, () => this.share());
    const names = Object.keys(lists).filter(name => lists[name].length === n);
    const starts = names.map(name => button(words.start(name), () => this.load(name)));
    parts.tables = html('details', {}, html('summary', {}, words.tables), starts.length > 0 && html('p', {class: 'deeds'}, starts),
      html('div', {class: 'tables'}, this.buildMeasures(), html('div', {}, parts.ranks)));
    element.classList.add('play');
    element.replaceChildren(parts.all = html('section', {'aria-label': words.section}, html('style', {}, STYLE),
      html('div', {class: 'ask'}, parts.ask, parts.task),
      html('div', {class: 'head'}, html('p', {}, parts.name, ' ', parts.value, ' ', parts.change), parts.depth),
      html('div', {class: 'stage'}, html('div', {}, parts.legend, parts.list, parts.after), html('div', {}, parts.picture, parts.interpolate)),
      html('p', {class: 'steps'}, parts.steps), this.buildChips(),
      html('div', {class: 'said', role: 'status'}, parts.said, parts.verdict),
      html('p', {class: 'deeds'}, parts.guessing, parts.check, parts.count, parts.undo, parts.again, parts.answer, parts.back, deal, parts.predict,
        disagree, share), parts.tables));
    this.letLight(parts.all);
  }

  // A result, its bar, its term and its line of the table light up together, under the pointer or with the focus.
  letLight(section) {
    const light = rank => section.querySelectorAll('[data-rank]').forEach(part => part.classList.toggle('lit', part.dataset.rank === rank));
    const on = ({target}) => light(target.closest('[data-rank]')?.dataset.rank);
    Object.entries({pointerover: on, focusin: on, pointerleave: () => light(), focusout: () => light()})
      .forEach(([name, heard]) => section.addEventListener(name, heard));
  }

  buildRow(item) {
    const {words} = this, {title} = item, moveBy = by => this.move(item, this.order.indexOf(item) + by);
    const button = (click, label, path) =>
      html('button', {type: 'button', click, 'aria-label': label}, icon(path));
    const subtopic = (name, s) => html('button', {type: 'button', click: () => this.serve(item, s)}, name);
    const row = {
      place: html('span', {class: 'place'}),
      grade: this.subtopics ? html('span', {class: 'serves', role: 'group', 'aria-label': words.serves(title)}, this.subtopics.map(subtopic))
        : html('button', {type: 'button', class: 'grade', click: () => this.regrade(item)}),
      ghost: html('span', {class: 'ghost'}), fill: html('span', {class: 'fill'}),
      number: html('span', {class: 'number'}),
      swap: this.goal?.swaps ? button(() => this.choose(item), words.swap(title), SWAP) : null,
      up: button(() => moveBy(-1), words.up(title), UP), down: button(() => moveBy(1), words.down(title), DOWN),
    };
    row.line = html('li', {}, row.place, html('span', {class: 'title'}, title), row.grade,
      html('span', {class: 'bar'}, row.ghost, row.fill), row.number,
      html('span', {class: 'moves'}, row.swap, row.up, row.down));
    return row;
  }

  // The measures with their values; a press on one explains it.
  buildChips() {
    this.chips = this.measures.map(measure => {
      const parts = {name: html('span'), value: html('b'), change: html('span', {class: 'change'})}, click = () => this.explain(measure);
      return {measure, ...parts, button: html('button', {type: 'button', click}, parts.name, ' ', parts.value, ' ', parts.change)};
    });
    const buttons = this.chips.map(({button}) => button);
    return buttons.length > 1 && html('div', {class: 'chips', role: 'group', 'aria-label': this.words.measures}, buttons);
  }

  // The same beside what the last move did, and the other lists.
  buildMeasures() {
    const {words} = this, lists = Object.keys(this.lists);
    this.rows = this.measures.map(measure => {
      const name = html('th', {scope: 'row'}), cells = ['', '', ...lists].map(() => html('td'));
      return {measure, name, cells, line: html('tr', {}, name, cells)};
    });
    const table = html('table', {class: 'measures', 'aria-label': words.measures});
    fillTable(table, [words.measure, words.value, words.change, ...lists], this.rows.map(row => row.line));
    return this.measures.length + lists.length > 1 && table;
  }

  draw() {
    const {parts, words, secret} = this, found = this.work(), before = this.workBefore();
    const picture = VIEWS[this.view ?? found.kind.view](found, words, this.interpolated);
    parts.all.classList.toggle('secret', secret);
    parts.name.textContent = this.label(this.measure);
    parts.value.textContent = secret ? '?' : short(found.value);
    parts.change.textContent = before && !secret ? signed(found.value - before.value) : '';
    parts.depth.hidden = this.label(this.measure, 1) === this.label(this.measure, 2);
    parts.slider.value = this.k ?? this.deepest + 1;
    parts.slider.setAttribute('aria-valuetext', words.k(this.k));
    parts.cutoff.textContent = words.k(this.k);
    parts.legend.replaceChildren(...picture.legend.map(([name, text]) => html('span', {class: name}, text)));
    parts.after.textContent = secret ? '' : picture.after ?? '';
    parts.interpolate.hidden = !picture.curve || secret;
    parts.interpolate.setAttribute('aria-pressed', Boolean(this.interpolated));
    parts.picture.replaceChildren(...picture.figure && !secret ? [picture.figure] : []);
    const inLine = piece => piece.text ? html('span', {'data-rank': piece.rank}, piece.text) : piece;
    parts.steps.replaceChildren(...secret ? [] : pieces(found).map(inLine));
    this.drawQuestion();
    this.drawList(found.p.k ?? this.order.length, secret ? [] : picture.bars);
    this.drawMeasures();
    this.drawRanks(found, before, picture.columns);
  }

  // What is asked, how far the reader is, and what was said when it was judged.
  drawQuestion() {
    const {parts, words, goal, outcome, secret} = this, ofPage = !this.pair && this.start === this.first;
    const task = ofPage || !goal ? '' : words.task(this.wishes(this.start).map(wish => wish.task), goal.swaps, goal.k, !!this.pair);
    const back = this.atStart && this.start !== this.first, {swaps} = this.now;
    parts.ask.hidden = Boolean(task);
    parts.task.textContent = task;
    parts.verdict.textContent = outcome?.text ?? '';
    parts.verdict.className = !outcome ? '' : outcome.right ? 'right' : 'wrong';
    parts.check.hidden = !goal && !secret;
    parts.count.textContent = goal?.swaps && !secret ? words.counted(swaps, goal.swaps) : '';
    parts.count.classList.toggle('over', swaps > goal?.swaps);
    parts.answer.hidden = !goal || !this.failed || Boolean(outcome?.right);
    parts.again.textContent = back ? words.back : words.again;
    parts.predict.setAttribute('aria-pressed', Boolean(this.predicting));
    parts.guessing.hidden = !secret;
    parts.asked.textContent = words.guess(this.label(this.measure));
    if (!secret) parts.guess.value = '';
  }

  // Lines move around the one that has the focus or is dragged, so that it keeps both. All glide to where they belong.
  drawList(last, bars) {
    const {list} = this.parts, lines = this.order.map(item => item.row.line), tops = lines.map(line => line.offsetTop);
    const held = this.dragged?.row.line ?? list.getRootNode().activeElement?.closest('li');
    const pivot = Math.max(0, lines.indexOf(held));
    if (!list.contains(lines[pivot])) list.append(lines[pivot]);
    lines[pivot].before(...lines.slice(0, pivot));
    lines[pivot].after(...lines.slice(pivot + 1));
    this.order.forEach((item, j) => this.drawRow(item, j, last, bars[j]));
    if (still()) return;
    lines.forEach((line, j) => {
      const way = tops[j] - line.offsetTop, from = {transform: `translateY(${way}px)`};
      if (Math.abs(way) > 1) line.animate([from, {transform: 'none'}], {duration: 180, easing: 'ease-out'});
    });
  }

  drawRow({title, grade, row}, j, last, {fill = 0, ghost = 0, text = ''} = {}) {
    const {words} = this, n = this.order.length, level = Math.ceil(3 * grade / this.scale);
    row.line.classList.toggle('below', j >= last);
    row.line.classList.toggle('last', j === last - 1 && last < n);
    row.line.dataset.rank = row.place.textContent = j + 1;
    if (this.subtopics) [...row.grade.children].forEach((button, s) => button.setAttribute('aria-pressed', (grade >> s & 1) === 1));
    else {
      row.grade.textContent = gradeText(grade);
      row.grade.dataset.level = judged(grade) ? Math.min(3, Math.max(0, level)) : '';
      row.grade.setAttribute('aria-label', words.grade(title, judged(grade) ? grade : words.unjudged));
    }
    row.up.setAttribute('aria-disabled', j === 0);
    row.down.setAttribute('aria-disabled', j === n - 1);
    row.swap?.setAttribute('aria-pressed', this.chosen?.row === row);
    row.fill.style.width = `${100 * fill}%`;
    row.ghost.style.width = `${100 * ghost}%`;
    row.ghost.hidden = !ghost;
    row.number.textContent = text;
  }

  drawMeasures() {
    this.rows.forEach(({measure, name, cells}, j) => {
      const now = this.work(measure).value, change = this.last ? now - this.workBefore(measure).value : 0, chip = this.chips[j];
      const others = Object.keys(this.lists).map(list => short(this.valueOf(list, measure)));
      const shown = this.secret ? ['?', ''] : [short(now), signed(change)];
      name.textContent = chip.name.textContent = this.label(measure);
      [chip.value.textContent, chip.change.textContent] = shown;
      chip.button.setAttribute('aria-pressed', measure === this.measure);
      [...shown, ...others].forEach((text, i) => { cells[i].textContent = text; });
    });
  }

  // Rank by rank: what each has to do with the value, and how that changed.
  drawRanks({name, rows, p}, before, columns) {
    const {words} = this, was = before?.rows ?? rows;
    const head = Object.keys(columns).map(column => words.columns[`${name} ${column}`] ?? words.columns[column]);
    const changes = rows.map((row, j) => signed(row.term - was[j].term) && row.term - was[j].term);
    const texts = [...Object.values(columns).map(numbers => evenly(numbers)), evenly(changes, '+')];
    const lines = rows.map(({rank}, j) => html('tr', {class: p.k && rank > p.k ? 'below' : null, 'data-rank': rank},
      html('th', {scope: 'row'}, rank), texts.map(column => html('td', {}, column[j]))));
    fillTable(this.parts.ranks, [words.rank, ...head, words.change], lines);
  }
}

// Numbers of a column as texts, `plus` before those above 0: three decimals, unless all are whole.
function evenly(numbers, plus = '') {
  const missing = x => x == null || x === '', whole = numbers.every(x => missing(x) || x % 1 === 0);
  return numbers.map(x => missing(x) ? '' : (x > 0 ? plus : '') + (whole ? `${x}`.replace('-', '−') : short(x)));
}

function fillTable(table, head, lines) {
  const names = html('tr', {}, head.map(text => html('th', {scope: 'col'}, text)));
  table.replaceChildren(html('thead', {}, names), html('tbody', {}, lines));
}

const RELATIONS = {
  above: (x, y) => x > y + 1e-9, least: (x, y) => x >= y - 1e-9, equal: (x, y) => Math.abs(x - y) <= 1e-9,
  below: (x, y) => x < y - 1e-9, most: (x, y) => x <= y + 1e-9,
};

const UNDONE = 20;  // deeds that a link remembers

const someOrders = state => Array.from({length: 40}, () => shuffled(state));

const CLOSE = 0.0051;  // as near as a prediction has to come: two decimals

const still = () => matchMedia('(prefers-reduced-motion: reduce)').matches;
const scrollTo = (element, block) => element.scrollIntoView({block, behavior: still() ? 'instant' : 'smooth'});

const pickOne = some => some[Math.floor(Math.random() * some.length)];

function shuffled({order, grades, ...state}) {
  const ranks = order.map((_, j) => j), taken = order.map(() => ranks.splice(Math.floor(Math.random() * ranks.length), 1)[0]);
  return {...state, order: taken.map(j => order[j]), grades: taken.map(j => grades[j])};
}

// Text with **bold** in it.
const bold = text => text.split('**').map((part, j) => j % 2 ? html('strong', {}, part) : part);

const swapped = (order, a, b) => order.with(a, order[b]).with(b, order[a]);

// The states one swap away from a state.
function nextSwaps({order, way}) {
  const ranks = order.map((_, j) => j), all = ranks.flatMap(a => ranks.slice(a + 1).map(b => [a, b]));
  return all.map(([a, b]) => ({order: swapped(order, a, b), way: [...way, [a + 1, b + 1]]}));
}

// The fewest swaps that make one order of the other.
function swapsBetween(one, other) {
  let rest = other, swaps = 0;
  one.forEach((item, j) => {
    if (rest[j] === item) return;
    rest = swapped(rest, j, rest.indexOf(item));
    swaps++;
  });
  return swaps;
}


// ---- the pictures ----

// What each view shows of the arithmetic: for each rank a bar, filled and outlined as parts of 1, with a text; a
// legend; a figure; and the columns of the table.
const pick = (rows, names) => Object.fromEntries(names.split(' ').map(name => [name, rows.map(row => row[name])]));
const percent = x => `${Math.round(100 * x)}%`;
const plain = {bars: [], legend: []};

const VIEWS = {
  gains({rows}, words) {
    const most = Math.max(...rows.flatMap(row => [row.term, row.ideal])) || 1, part = x => Math.max(0, x / most);
    const bars = rows.map(row => ({fill: part(row.term), ghost: part(row.ideal), text: short(row.term)}));
    const legend = [['fills', words.adds], ['ideals', words.idealAdds]];
    return {bars, legend, columns: pick(rows, 'gain weight term running ideal')};
  },

  precision(work, words, interpolated) {
    const {rows, p, whole} = work, curve = curvePoints(work), found = running(rows.map(row => row.gain ?? 0));
    const bar = ({rank, gain}, j) => ({fill: gain && found[j] / rank, ghost: found[j] / rank,
      text: gain ? `${found[j]}/${rank}` : ''});
    const legend = [['fills', words.precisionThere], ['outlines', words.precisionElsewhere]];
    const {gain, ...sums} = pick(rows, 'gain term running'), precision = rows.map(({rank}, j) => found[j] / rank);
    const after = whole > 0 && whole === curve.R ? words.area(whole) : '';
    return {bars: rows.slice(0, p.k ?? rows.length).map(bar), legend, after, curve, figure: precisionRecallCurve(curve, words, interpolated),
      columns: {gain, precision, ...sums}};
  },

  readers({rows, p}, words) {
    const arrive = rows.map((_, j) => rows.slice(0, j).reduce((left, row) => left * (1 - (row.gain ?? 0)), 1));
    const stop = rows.map((row, j) => arrive[j] * (row.gain ?? 0)).slice(0, p.k ?? rows.length);
    const bars = stop.map((share, j) => ({fill: share, ghost: arrive[j], text: percent(share)}));
    const legend = [['fills', words.stop], ['pales', words.arrive]], after = words.leave(percent(1 - sum(stop)));
    return {bars, legend, after, columns: {gain: rows.map(row => row.gain), arrive, ...pick(rows, 'term running')}};
  },

  sets: (found, words) => ({...plain, figure: boxes(found, words), columns: pick(found.rows, 'gain term running')}),
  pairs: (found, words) => ({...plain, figure: rocCurve(found, words), after: words.pairs(sum(found.terms), found.whole || 0),
    columns: pick(found.rows, 'gain term running')}),
  none: ({rows}) => ({...plain, columns: pick(rows, 'gain weight term running ideal')}),
};

// The two boxes of precision and recall: what was retrieved, what is relevant, and what is both.
function boxes({rows, list, p}, words) {
  const looked = row => row.rank <= (p.k ?? rows.length), good = row => row.gain === 1;
  const fits = (inTop, isGood) => row => looked(row) === inTop && good(row) === isGood;
  const ranks = (inTop, isGood) => rows.filter(fits(inTop, isGood)).map(row => row.rank);
  const lost = Array(relevant(list, p) - rows.filter(good).length).fill(''), outside = ranks(false, false);
  const zones = [['alarms', 60, ranks(true, false)], ['hits', 170, ranks(true, true)],
    ['missed', 280, [...ranks(false, true), ...lost]]];
  const bottom = 64 + 26 * Math.max(2, ...zones.map(([, , all]) => Math.ceil(all.length / 4)));
  const text = (x, y, anchor, content, name) => svg('text', {x, y, 'text-anchor': anchor, class: name}, content);
  const box = (name, x) => svg('rect', {class: name, x, y: 32, width: 220, height: bottom - 32, rx: 8});
  const dots = ([name, middle, all]) => all.map((rank, j) => {
    const row = Math.floor(j / 4), inRow = Math.min(4, all.length - 4 * row);
    return dot(name, middle + 26 * (j % 4 - (inRow - 1) / 2), 54 + 26 * row, rank);
  });
  const count = ([name, middle, all]) => text(middle, bottom - 9, 'middle', words.count[name](all.length), 'soft');
  const rest = outside.length ? [text(2, bottom + 29, 'start', words.neither, 'soft'),
    outside.map((rank, j) => dot('out', 68 + 26 * j, bottom + 24, rank))] : [];
  const spoken = words.boxes(...zones.map(([, , all]) => all.length));
  return svg('svg', {viewBox: `0 0 340 ${bottom + 40}`, role: 'img', 'aria-label': spoken},
    box('relevant', 118), box('retrieved', 2), text(4, 22, 'start', words.retrieved), text(336, 22, 'end', words.relevant),
    zones.flatMap(dots), zones.map(count), rest.flat());
}

const dot = (name, x, y, text) => svg('g', {class: `dot ${name}`, transform: `translate(${x} ${y})`},
  svg('circle', {r: 11}), svg('text', {dy: '.35em'}, text));

// The ROC curve over a square of pairs: a row for each relevant document, a column for each other one.
function rocCurve({rows}, words) {
  const ranks = good => rows.filter(row => (row.gain === 1) === good).map(row => row.rank);
  const rise = ranks(true), run = ranks(false), [left, bottom, side] = [44, 258, 250];
  const width = side / Math.max(1, run.length), height = side / Math.max(1, rise.length);
  const cell = (a, j, b, i) => svg('rect', {class: a < b ? 'won' : 'lost', width, height,
    x: left + i * width, y: bottom - (j + 1) * height});
  const path = rows.map(row => row.gain === 1 ? `v${-height}` : `h${width}`).join('');
  const text = (x, y, content, more) => svg('text', {x, y, dy: '.35em', 'text-anchor': 'middle', ...more}, content);
  const [middle, centre] = [left + side / 2, bottom - side / 2];
  return svg('svg', {viewBox: '0 0 310 306', role: 'img', 'aria-label': words.roc},
    rise.flatMap((a, j) => run.map((b, i) => cell(a, j, b, i))),
    svg('path', {class: 'curve', d: `M${left} ${bottom}${path}`}),
    rise.map((rank, j) => text(left - 12, bottom - (j + 0.5) * height, rank, {class: 'soft'})),
    run.map((rank, i) => text(left + (i + 0.5) * width, bottom + 14, rank, {class: 'soft'})),
    text(middle, bottom + 38, words.falseRate), text(12, centre, words.trueRate, {transform: `rotate(-90 12 ${centre})`}));
}

// The precision-recall curve: a column for each relevant document, with a bar as high as the precision where it was found.
function precisionRecallCurve({R, missed, points, highest, eleven}, words, interpolated) {
  const [left, bottom, side] = [44, 258, 250], width = side / Math.max(1, R), x = found => left + found * width, y = height => bottom - side * height;
  const text = (x, y, content, more) => svg('text', {x, y, dy: '.35em', 'text-anchor': 'middle', ...more}, content);
  const hits = points.filter(point => point.hit), [middle, end] = [left + side / 2, x(R - missed)];
  const bar = ({rank, found, precision}) => svg('rect', {class: 'won', 'data-rank': rank, x: x(found - 1), y: y(precision), width, height: side * precision});
  const point = ({rank, found, precision}) => svg('g', {class: 'point', 'data-rank': rank},
    svg('circle', {cx: x(found), cy: y(precision), r: 4}), points.length <= 12 && text(x(found) + 10, y(precision) - 1, rank, {class: 'soft'}));
  const level = (height, j) => `${j ? 'V' : `M${left} `}${y(height)}H${x(j + 1)}`;
  const elevenPoint = (height, j) => svg('circle', {class: 'eleven', cx: left + side * j / 10, cy: y(height), r: 5.5});
  const axis = at => [text(left + side * at, bottom + 14, at, {class: 'soft'}), text(left - 12, y(at), at, {class: 'soft'})];
  const gap = R && missed ? [svg('rect', {class: 'gap', x: end, y: bottom - side, width: missed * width, height: side}),
    text(end + missed * width / 2, middle - 30, words.count.missed(missed), {class: 'soft', transform: `rotate(-90 ${end + missed * width / 2} ${middle - 30})`})] : [];
  return svg('svg', {viewBox: '0 0 310 306', role: 'img', 'aria-label': words.curve(hits.map(({recall, precision}) => [short(recall), short(precision)]), missed)},
    gap, hits.map(bar), svg('path', {class: 'axis', d: `M${left} ${bottom - side}V${bottom}H${left + side}`}),
    svg('path', {class: 'curve', d: points.map(({found, precision}, j) => `${j ? 'L' : 'M'}${x(found)} ${y(precision)}`).join('')}),
    interpolated && [svg('path', {class: 'highest', d: highest.map(level).join('')}), eleven.map(elevenPoint)].flat(), points.map(point),
    [0, 0.5, 1].flatMap(axis), text(middle, bottom + 38, words.recall), text(12, middle - 30, words.columns.precision, {transform: `rotate(-90 12 ${middle - 30})`}));
}


// ---- the words ----

// All that is said of a ranking. A page changes it by handing its `words` to `mount`.
export const words = {
  section: say`A ranking to play with`,
  hint: say`Arrows move a result, or drag it by its rank.`,
  hintToSwap: say`Arrows move a result, ⇄ swaps two; or drag one by its rank.`,
  hintToGrade: say`A press on a grade changes it.`,
  hintToServe: say`A press on a subtopic switches it on or off.`,
  cutoff: say`Cutoff k`,
  k: k => k === null ? say`whole list` : `${k}`,
  up: title => say`Move up: ${title}`,
  down: title => say`Move down: ${title}`,
  swap: title => say`Swap: ${title}`,
  serves: title => say`Subtopics: ${title}`,
  grade: (title, grade) => say`Grade ${grade}, press to change: ${title}`,
  unjudged: say`– (not judged)`,

  now: (deed, measure, value, change) => `${deed}${measure} ${value}${change && remark(change)}`,
  moved: (title, rank, n) => say`${title}, now rank ${rank} of ${n}, `,
  end: (title, rank) => say`${title} stays at rank ${rank}: the list ends there.`,
  chosen: title => say`${title} is chosen. Now press the same sign of the result to swap it with.`,
  swapped: (a, b) => say`Ranks ${a} and ${b} have changed places, `,
  graded: (title, grade) => say`${title}, now grade ${grade}, `,
  served: (title, subtopic, on) => on ? say`${title} now serves ${subtopic}, ` : say`${title} no longer serves ${subtopic}, `,
  cut: k => k === null ? say`The whole list counts, ` : say`The first ${k} count, `,
  loaded: name => name ? say`The list of ${name}, ` : say`The list as it was, `,
  explained: '',
  handle: say`Show it in the ranking`,
  handled: say`As the text has it, `,
  toText: say`Back to the text`,
  dealt: say`A new list, `,
  undone: say`Undone: `,
  nothing: say`There is nothing to undo.`,
  linked: copied => copied ? say`The link to this ranking is copied.` : say`The address of this page is now the link to this ranking.`,
  unreadable: say`The address of this page names a list that is not this one.`,
  check: say`Check`,
  undo: say`Undo`,
  again: say`Start again`,
  back: say`Back to the first list`,
  deal: say`New list`,
  predict: say`Predict first`,
  disagree: say`Make two disagree`,
  share: say`Copy link`,
  start: name => say`Start from ${name}`,

  guess: measure => say`Your ${measure}:`,
  predicting: measure => say`The values are hidden. What is ${measure}? Two decimals or a fraction will do, also after a move.`,
  noNumber: say`That is no number: write 0.75 or 3/4.`,
  predicted: (measure, value, said, right, apart, more) => {
    if (right) return say`Yes: ${measure} is ${value}.`;
    const off = more ? say`You said ${said}, ${apart} too much.` : say`You said ${said}, ${apart} too little.`;
    return sentences(say`Not quite: ${measure} is ${value}.`, off);
  },
  counted: (changes, allowed) => allowed === 1 ? say`${changes} of ${allowed} change` : say`${changes} of ${allowed} changes`,
  task: (wishes, swaps, k, pair) => {
    const bySwaps = swaps === 1 ? say`With one swap` : swaps ? say`With at most ${swaps} swaps` : say`In any order of the results`;
    const way = k ? say`With the slider alone` : bySwaps;
    return sentences(pair && say`Make them disagree.`, say`${way}: ${both(wishes)}.`);
  },
  elsewhere: measure => say`No two swaps lift ${measure} there and lower another measure, or the other way round. So this is another order, or another pair of measures.`,
  agree: say`These measures agree about every order of these results that was tried.`,
  untouched: say`Nothing has been moved yet.`,

  show: say`Show an answer`,
  above: [say`above`, say`not above`],
  below: [say`below`, say`not below`],
  least: [say`at least`, say`less than`],
  most: [say`at most`, say`more than`],
  equal: [say`equal to`, say`not equal to`],
  wish: (measure, value, [so, not], right, aim) => say`${measure} ${value} is ${right ? so : not} ${aim}`,
  of: (name, value) => say`${name}’s ${value}`,
  right: wishes => say`Yes: ${both(wishes)}.`,
  wrong: (wishes, reason) => sentences(say`Not yet: ${both(wishes)}.`, reason),
  reason: terms => {
    const some = terms.slice(0, 3).map(({rank, now, before}) => say`rank ${rank} counts ${now} instead of ${before}`);
    if (!some.length) return say`Every rank counts as much as before.`;
    return terms.length > 3 ? say`Here ${clauses(some)}, and so on.` : say`Here ${clauses(some)}.`;
  },
  regraded: say`A grade is not what it was, and the question is about the list as graded. Start again puts it right.`,
  reassigned: say`A subtopic is not what it was, and the question is about the list as judged. Start again puts it right.`,
  far: (changes, allowed) => {
    const taken = changes === 1 ? say`one change` : say`${changes} changes`;
    return allowed ? say`That took ${taken}; the question allows ${allowed}.` : say`That took ${taken}; the question allows none.`;
  },
  shifted: (needed, allowed) =>
    say`A move shifts all the results that it passes: this order takes ${needed} swaps, and the question allows ${allowed}. ⇄ swaps two.`,
  answer: (way, k, many) => {
    const steps = inTurn([...way.map(([a, b]) => say`swap ranks ${a} and ${b}`), ...k ? [say`set k to ${k}`] : []]);
    return many > 1 ? say`One answer: ${steps}. ` : say`The only answer: ${steps}. `;
  },
  none: say`No answer was found.`,

  measures: say`Measures side by side`,
  measure: say`measure`,
  value: say`now`,
  change: say`last move`,
  tables: say`Tables: all measures, rank by rank`,
  rank: say`rank`,
  columns: {
    gain: say`gain`, weight: say`weight`, term: say`term`, running: say`sum so far`, ideal: say`ideal’s term`, arrive: say`get here`,
    'AP gain': say`relevant`, precision: say`precision`, 'RR gain': say`relevant`, 'ERR gain': say`satisfies`,
    'P gain': say`relevant`, 'P term': say`hit`, 'R gain': say`relevant`, 'R term': say`hit`, 'F gain': say`relevant`,
    'AUC gain': say`relevant`, 'AUC term': say`others below`,
    'alpha_nDCG gain': say`novelty`, 'alpha_DCG gain': say`novelty`, 'ERR_IA gain': say`novelty`, 'StRecall gain': say`new subtopics`,
  },

  adds: say`what a rank adds`,
  idealAdds: say`what it adds in the ideal order`,
  precisionThere: say`precision at a relevant result`,
  precisionElsewhere: say`elsewhere: it does not count`,
  stop: say`readers who stop here, satisfied`,
  arrive: say`readers who get here`,
  leave: share => say`${share} of the readers leave unsatisfied.`,
  retrieved: say`retrieved`,
  relevant: say`relevant`,
  neither: say`neither`,
  count: {alarms: n => say`${n} not relevant`, hits: hitsText, missed: n => say`${n} missed`},
  boxes: (alarms, hits, missed) => say`${hits} retrieved and relevant, ${alarms} only retrieved, ${missed} only relevant`,
  roc: say`ROC curve`,
  recall: say`recall`,
  interpolate: say`Interpolate`,
  eleven: mean => say`Dashed: the highest precision at each recall or further right. The mean of the eleven circles is ${mean}.`,
  area: R => say`AP is the area of the bars: each is 1/${R} wide.`,
  curve: (hits, missed) => sentences(say`Precision–recall curve.`,
    ...hits.map(([recall, precision]) => say`Recall ${recall}: precision ${precision}.`), missed ? say`${missed} missed.` : ''),
  pairs: (right, all) => say`${right} of ${all} pairs are in the right order: the shaded squares.`,
  trueRate: say`true positive rate: the relevant, by rank`,
  falseRate: say`false positive rate: the others, by rank`,
};


// ---- the style ----

// Colours follow the theme of the page: Quarto's, JupyterLab's, VS Code's, else what `color-scheme` says there.
const STYLE = `
:is(.quarto-light, [data-jp-theme-light=true], .vscode-light) .play { color-scheme: light; }
:is(.quarto-dark, [data-jp-theme-light=false], .vscode-dark) .play { color-scheme: dark; }

.play {
  --ground: light-dark(#ffffff, #15191e);
  --pale: light-dark(#eef1f4, #262d36);
  --line: light-dark(#d7dde3, #363e48);
  --edge: light-dark(#8d98a3, #6b7683);
  --soft: light-dark(#4d5761, #a3adb8);
  --accent: light-dark(#0b5cad, #82bbff);
  --bar: light-dark(#0072b2, #56b4e9);
  --mist: light-dark(#d3e6f2, #1f3d52);
  --best: light-dark(#c45500, #e69f00);
  --good: light-dark(#00714f, #4fc3a1);
  container-type: inline-size;
  margin-block: 1.6rem 2rem;

  > section {
    scroll-margin-top: calc(var(--play-top, 0px) + 4.5rem);
    padding: .5rem 1.2rem;
    border: 1px solid var(--line);
    border-top: 3px solid var(--accent);
    border-radius: 4px;
  }
  p { margin: 0; }
  .ask { margin-bottom: .3rem; }
  .ask > div > * + * { margin-top: .6rem; }
  .ask > p:not(:empty) { font-weight: 600; }

  .head { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 0 2rem; }
  .head p { font-weight: 600; font-variant-numeric: tabular-nums; }
  .head strong { margin-inline: .3em .2em; font-size: 1.6em; font-weight: 650; }
  .head .change { color: var(--soft); font-weight: 400; }
  label { display: flex; align-items: center; gap: .7em; color: var(--soft); font-size: .93em; }
  output { min-width: 5em; color: inherit; }
  input { height: 28px; margin: 0; accent-color: var(--accent); }
  input[type=range] { width: 9rem; }
  input[type=text] {
    width: 6em; padding: 0 .4em; color: inherit; background: transparent; border: 1px solid var(--edge);
    border-radius: 4px; font: inherit;
  }

  button {
    min-width: 30px; min-height: 30px; padding: 0 .6em;
    color: inherit; background: transparent; border: 1px solid var(--line); border-radius: 4px;
    font: inherit; font-size: .9em; cursor: pointer;
  }
  button:hover { background: var(--pale); }
  button[aria-disabled=true] { color: var(--line); background: transparent; cursor: default; }
  button[aria-pressed=true] { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); }
  :is(button, label, div)[hidden] { display: none; }
  :is(button, input, summary):focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
  svg { display: block; }
  button svg {
    width: 16px; height: 16px; fill: none; stroke: currentColor; stroke-width: 1.6; stroke-linecap: round;
    stroke-linejoin: round;
  }

  .legend {
    display: flex; flex-wrap: wrap; justify-content: flex-end; gap: 0 1.4rem;
    color: var(--soft); font-size: .83em;
  }
  .legend span::before {
    content: ''; display: inline-block; box-sizing: border-box; width: 1.5em; height: .8em; margin-right: .5em;
    border-radius: 2px; vertical-align: -.05em;
  }
  .after { margin-top: .35rem; color: var(--soft); font-size: .88em; text-align: right; }

  ol { position: relative; margin: .2rem 0 0; padding: 0; border-top: 1px solid var(--line); list-style: none; }
  li {
    display: grid; grid-template-columns: 2.4rem minmax(0, 1fr) auto minmax(5rem, 15rem) 3.2rem auto;
    align-items: center; gap: .2rem .7rem;
    margin: 0; padding: .1rem 0; background: var(--ground); border-bottom: 1px solid var(--line);
  }
  li.dragged { position: relative; z-index: 1; box-shadow: 0 2px 10px #0004; }
  li.lit { background: var(--pale); }
  .lit .fill { background: var(--accent); }
  .lit .ghost { filter: saturate(1.4); }
  .steps .lit, tr.lit { background: var(--mist); }
  .steps span { border-radius: 2px; }
  .secret :is(.bar, .number, .legend, .tables) { visibility: hidden; }
  li.below { color: var(--soft); }
  li.below :is(.bar, .number) { visibility: hidden; }
  li.last { border-bottom: 2px solid var(--accent); }
  li button { display: grid; place-items: center; padding: 0; }
  .place {
    display: flex; align-items: center; gap: .5rem; height: 28px; color: var(--soft);
    font-variant-numeric: tabular-nums; cursor: grab; touch-action: none; -webkit-user-select: none;
    user-select: none;
  }
  .place::before {
    content: ''; flex: none; width: 8px; height: 16px; opacity: .55;
    background: radial-gradient(circle, currentColor 1.1px, transparent 1.6px) 0 0 / 4px 5.33px;
  }
  .dragged .place { cursor: grabbing; }
  .title { overflow-wrap: anywhere; line-height: 1.3; }
  .moves { display: flex; gap: .3rem; }
  .number { font-size: .88em; text-align: right; font-variant-numeric: tabular-nums; }
  .bar { position: relative; height: 16px; }
  .bar span {
    position: absolute; inset: 0 auto 0 0; box-sizing: border-box; border-radius: 2px;
    transition: width .18s ease-out;
  }
  .bar .fill { inset-block: 3px; }
  .fill, .fills::before { background: var(--bar); }
  .stage:has(.ideals) .ghost, .ideals::before { border: 1.5px dashed var(--best); }
  .stage:has(.outlines) .ghost, .outlines::before { border: 1px solid var(--edge); }
  .stage:has(.pales) .ghost, .pales::before { background: var(--mist); }
  .stage:not(:has(.legend span)) :is(.bar, .number, .legend) { display: none; }
  .stage:not(:has(.legend span)) li { grid-template-columns: 2.4rem minmax(0, 1fr) auto auto; }

  .serves { display: flex; gap: .25rem; }
  .serves button { padding: 0 .5em; color: var(--soft); font-size: .82em; }
  .serves button[aria-pressed=true] { color: inherit; background: var(--mist); font-weight: 600; }
  .grade { min-width: 36px; border-color: transparent; font-weight: 600; font-variant-numeric: tabular-nums; }
  .grade:hover { border-color: currentColor; }
  .grade, .grade:hover { background: var(--g); color: var(--on); }
  .grade[data-level=''] { --g: transparent; --on: var(--soft); border: 1px dashed var(--soft); }
  .grade[data-level='0'] { --g: light-dark(#eceff2, #262d36); --on: light-dark(#1d2329, #d5dae0); }
  .grade[data-level='1'] { --g: light-dark(#c6dbef, #1f3d5c); --on: light-dark(#1d2329, #e4ecf4); }
  .grade[data-level='2'] { --g: light-dark(#6baed6, #346a99); --on: light-dark(#0c1a26, #ffffff); }
  .grade[data-level='3'] { --g: light-dark(#08519c, #9ecae1); --on: light-dark(#ffffff, #0c1a26); }

  .said { min-height: 1.6em; margin-block: .25rem; font-size: .95em; }
  .said p:first-child { color: var(--soft); }
  .said .right { color: var(--good); font-weight: 600; }
  .deeds { display: flex; flex-wrap: wrap; align-items: center; gap: .35rem .45rem; margin-block: .2rem; }
  .count { color: var(--soft); font-size: .9em; font-variant-numeric: tabular-nums; }
  .count:empty { display: none; }
  .count.over { color: var(--best); }
  .chips { display: flex; flex-wrap: wrap; gap: .35rem .45rem; margin-top: .4rem; }
  .chips button { max-width: 100%; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
  .chips .change { color: var(--soft); }
  .chips :is(b, span):empty { display: none; }
  .steps { min-height: 1.4em; margin-top: .2rem; line-height: 1.3; }
  .steps code {
    padding: 0; color: inherit; background: none; font-size: .8em; white-space: normal; overflow-wrap: anywhere;
  }

  .tables { display: flex; flex-wrap: wrap; align-items: flex-start; gap: .8rem 2.2rem; margin-top: .9rem; }
  table {
    display: table; width: auto; max-width: 100%; margin: 0; border-collapse: collapse; color: inherit;
    font-size: .9em; font-variant-numeric: tabular-nums;
  }
  th, td {
    padding: .22rem .7rem .22rem 0; color: inherit; background: none; border: 0;
    border-bottom: 1px solid var(--line); font-weight: 400; text-align: right; vertical-align: middle;
    white-space: nowrap;
  }
  :is(th, td):last-child { min-width: 3.4em; padding-right: 0; }
  thead th {
    color: var(--soft); font-size: .92em; line-height: 1.25; vertical-align: bottom; white-space: normal;
    overflow-wrap: normal; word-break: normal; hyphens: manual;
  }
  .measures tr > th:first-child { text-align: left; }
  .measures td:nth-child(3) { min-width: 3.8em; }
  .measures tr > th:first-child { white-space: normal; overflow-wrap: anywhere; }
  .tables > * { max-width: 100%; overflow-x: auto; }
  .ranks .below { color: var(--soft); }
  details { margin: 0; }
  summary { min-height: 28px; color: var(--soft); cursor: pointer; }

  .picture:empty { display: none; }
  .picture + button:not([hidden]) { display: block; margin: .2rem auto; }
  .picture svg { width: 100%; max-width: 24rem; height: auto; margin: .3rem auto 0; overflow: visible; }
  .picture text { font-size: 13px; fill: currentColor; }
  .picture .soft { fill: var(--soft); }
  .picture rect { fill: none; stroke-width: 1.5; }
  .picture .retrieved { stroke: var(--bar); }
  .picture .relevant { stroke: var(--best); }
  .dot circle { fill: var(--ground); stroke: var(--edge); }
  .dot text { font-size: 12px; text-anchor: middle; }
  .dot.hits circle { fill: var(--bar); stroke: var(--bar); }
  .dot.hits text { fill: var(--ground); }
  .dot.missed circle { stroke: var(--best); }
  .picture .won { fill: var(--mist); stroke: var(--ground); }
  .picture .lost { fill: var(--pale); stroke: var(--ground); }
  .axis { fill: none; stroke: var(--edge); }
  .picture .gap { fill: var(--pale); stroke: var(--best); stroke-dasharray: 5 4; }
  .point circle { fill: var(--bar); }
  .picture rect.lit { stroke: var(--accent); }
  .point.lit circle { fill: var(--accent); stroke: var(--accent); stroke-width: 4; }
  .highest { fill: none; stroke: var(--best); stroke-width: 2; stroke-dasharray: 6 4; }
  .eleven { fill: var(--ground); stroke: var(--best); stroke-width: 2; }
  .curve { fill: none; stroke: var(--bar); stroke-width: 2.5; stroke-linejoin: round; }
}

@media (pointer: fine) {
  .play li { padding-block: 1px; }
  .play li button { min-height: 26px; }
  .play .place { height: 26px; }
}

@container (min-width: 44rem) {
  .play .stage:has(.picture > svg) {
    display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 15rem); gap: 1.5rem; align-items: center;
  }
  .play .stage:has(.picture > svg):has(.legend span) {
    grid-template-columns: minmax(0, 1fr) minmax(0, 17rem);
    li { grid-template-columns: 2.4rem minmax(0, 1fr) auto auto; row-gap: 0; }
    .title { grid-area: 1 / 2; }
    .grade { grid-area: 1 / 3; }
    .moves { grid-area: 1 / 4; }
    .bar { grid-area: 2 / 2; height: 10px; }
    .bar .fill { inset-block: 2px; }
    .number { grid-area: 2 / 3 / auto / span 2; font-size: .78em; line-height: 12px; text-align: left; }
  }
}

@container (max-width: 38rem) {
  .play > section { padding: .8rem .8rem 1rem; }
  .play .head {
    position: sticky; top: var(--play-top, 0px); z-index: 2; margin-inline: -.8rem; padding: .1rem .8rem;
    background: var(--ground); border-bottom: 1px solid var(--line);
  }
  .play li { grid-template-columns: 1.9rem minmax(0, 1fr) auto auto; gap: .2rem .5rem; }
  .play .place { gap: .3rem; }
  .play .title { grid-area: 1 / 2; }
  .play .grade { grid-area: 1 / 3; }
  .play .moves { grid-area: 1 / 4; }
  .play .serves { grid-area: 3 / 2 / auto / span 3; }
  .play .bar { grid-area: 2 / 2; height: 10px; }
  .play .bar .fill { inset-block: 2px; }
  .play .number { grid-area: 2 / 3 / auto / span 2; font-size: .78em; line-height: 12px; text-align: left; }
  .play li { row-gap: 0; }
  .play .legend { justify-content: flex-start; }
  .play .after { text-align: left; }
  .play :is(th, td) { padding-right: .45rem; }
}

.handle:is(button) {
  padding: 0; color: inherit; background: none; border: 0; border-bottom: 2px dotted #0b7cc4; font: inherit; cursor: pointer;
}
.handle:is(button):is(:hover, :focus-visible) { border-bottom-style: solid; }

@media (prefers-reduced-motion: reduce) {
  .play .bar span { transition: none; }
}
`;


// ---- the ways in ----

// anywidget: grades, measure and value go to Python after every move; what is set there begins anew.
function render({model, el}) {
  let play;
  const names = ['grades', 'measure', 'measures', 'titles', 'scale', 'lists', 'goal', 'question', 'subtopics'];
  const shown = () => play.subtopics ? play.grades.map(g => namesOf(g, play.subtopics)) : play.grades;
  const spelt = grades => JSON.stringify(grades);
  const tell = () => {
    const now = {grades: shown(), measure: play.label(play.measure), value: play.work().value};
    Object.entries(now).forEach(([name, x]) => model.set(name, Number.isNaN(x) ? null : x));
    model.save_changes();
  };
  const begin = () => {
    if (play && spelt(shown()) === spelt(model.get('grades')) && play.label(play.measure) === model.get('measure')) return;
    const told = names.map(name => [name, model.get(name)]), options = Object.fromEntries(told.filter(([, x]) => x != null));
    const ideal = [...options.grades.filter(judged), ...model.get('missed')];
    play = mount(el, {...options, ideal, changed: tell});
    // JupyterLab has other uses for keys: arrows go to other cells, unless the element with the focus says this.
    el.querySelectorAll('button, input, summary').forEach(part => { part.dataset.lmSuppressShortcuts = true; });
  };
  begin();
  model.on('change:grades', begin);
  model.on('change:measure', begin);
}

export default {render};

// A page: every ranking that waits there, with its place in the address; and the numbers of the text that are handles.
function mountPage() {
  const waiting = [...document.querySelectorAll('.play:not(:has(> section))')];
  const plays = waiting.map((element, j) => [element, mount(element, {address: `ranking${j ? j + 1 : ''}`})]);
  for (const text of plays.length ? document.querySelectorAll('span.handle') : []) {
    const before = plays.filter(([element]) => element.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING);
    const [, play] = before.at(-1) ?? plays[0], click = ({currentTarget}) => play.jump({...text.dataset}, currentTarget);
    text.replaceWith(html('button', {type: 'button', class: 'handle', title: play.words.handle, click}, ...text.childNodes));
  }
}

// A notebook loads this file as a blob, and asks for `render`.
const onPage = typeof document !== 'undefined' && /^(https?|file):/.test(import.meta.url);
if (onPage) mountPage();

// ---- drills: tasks that are dealt, answers that are marked, slips that are known by their value ----
//
// On a page, an element with the class `drill` is mounted when this module is loaded; what stands in it is shown where no
// script runs:
//
//     <div class="drill" data-topic="ap" data-level="1">Tasks are dealt here; twenty on paper stand below.</div>
//
//   topic  sets, ap, rr, dcg, cascade, auc or mixed          level  1, 2 or 3
//
// The address says which task is shown (#seed=17&level=2&task=3): everybody who follows it gets the same one. `deal` makes
// a task from these four, `mark` judges an answer, and `demonstrate` gives the steps; none of them needs a page.

// A stream of numbers that a text decides.
function dice(text) {
  let state = 2166136261;
  for (const sign of text) state = Math.imul(state ^ sign.charCodeAt(0), 16777619);
  const next = () => {
    state = state + 0x6D2B79F5 | 0;
    let mixed = Math.imul(state ^ state >>> 15, 1 | state);
    mixed = mixed + Math.imul(mixed ^ mixed >>> 7, 61 | mixed) ^ mixed;
    return ((mixed ^ mixed >>> 14) >>> 0) / 2 ** 32;
  };
  const between = (low, high) => low + Math.floor(next() * (high - low + 1));
  const pick = items => items[between(0, items.length - 1)];
  const shuffle = items => items.map(item => [next(), item]).sort((a, b) => a[0] - b[0]).map(pair => pair[1]);
  return {next, between, pick, shuffle};
}

const mean = numbers => sum(numbers) / numbers.length;
const times = (many, make) => Array.from({length: many}, (_, j) => make(j));
const downwards = grades => grades.filter(judged).sort((a, b) => b - a);

// ---- the lists of a family ----

// A ranking: `n` results with grades up to `top`, so many relevant ones `missed`, some `unjudged`. `share` of the results
// are relevant; with a chance of `empty` none is.
function dealRanking(die, {n, top, missed, share = 0.55, empty = 0, unjudged = 0}) {
  const none = die.next() < empty, good = () => die.between(1, top);
  let grades = times(die.between(...n), () => !none && die.next() < share ? good() : 0);
  if (!none && !grades.some(g => g > 0)) grades[die.between(0, grades.length - 1)] = top;
  if (grades.every(g => g > 0)) grades[die.between(0, grades.length - 1)] = 0;
  const lost = times(Math.max(die.between(...missed), none ? 1 : 0), good).sort((a, b) => b - a);
  const ideal = downwards([...grades, ...lost]), zeros = grades.flatMap((g, j) => g === 0 ? [j] : []);
  const hidden = die.shuffle(zeros).slice(0, unjudged);
  grades = grades.map((g, j) => hidden.includes(j) ? null : g);
  return {grades, ideal, missed: lost};
}

// A ranking of documents that serve some of `subtopics` subtopics: at least one document serves some, and one none.
function dealServed(die, {n, subtopics, share = 0.35}) {
  const one = () => sum(times(subtopics, s => die.next() < share ? 2 ** s : 0));
  const grades = times(die.between(...n), one), [a, b] = die.shuffle(grades.map((_, j) => j));
  grades[a] ||= 2 ** die.between(0, subtopics - 1);
  if (grades.every(g => g > 0)) grades[b] = 0;
  return {grades, ideal: downwards(grades), missed: [], subtopics};
}

// Items with labels and scores; `ties` of the scores are equal to another one's, and with `order` the best comes first.
function dealScores(die, {n, ties = 0, order = true, single = 0}) {
  const many = die.between(...n), scores = die.shuffle(times(9, j => (j + 1) / 10)).slice(0, many);
  for (let j = 0; j < ties; j++) scores[j] = scores[many - 1 - j];
  if (order) scores.sort((a, b) => b - a);
  const same = die.next() < single ? die.pick([0, 1]) : null;
  const labels = scores.map(() => same ?? (die.next() < 0.45 ? 1 : 0));
  if (same === null && new Set(labels).size < 2) labels[die.between(0, many - 1)] = 1 - labels[0];
  return {labels, scores};
}

const dealQuery = (die, family) => (family.scored ? dealScores : family.subtopics ? dealServed : dealRanking)(die, family);

// ---- values ----

// Pairs of a positive and a negative item: those in the right order, those with equal scores, and all.
function comparedPairs({labels, scores}) {
  const of = label => scores.filter((_, j) => labels[j] === label);
  const gaps = of(1).flatMap(a => of(0).map(b => a - b));
  return {won: gaps.filter(x => x > 0).length, tied: gaps.filter(x => x === 0).length, all: gaps.length};
}

function confusion({labels, scores}, k) {
  const best = scores.map((x, j) => [x, labels[j]]).sort((a, b) => b[0] - a[0]).map(pair => pair[1]);
  const count = (items, label) => items.filter(x => x === label).length;
  const [top, rest] = [best.slice(0, k), best.slice(k)];
  return {tp: count(top, 1), fp: count(top, 0), fn: count(rest, 1), tn: count(rest, 0), n: labels.length, k};
}

const areaOf = query => {
  const {won, tied, all} = comparedPairs(query);
  return all ? (won + tied / 2) / all : NaN;
};
const RATES = {TPR: ({tp, fn}) => tp / (tp + fn), FPR: ({fp, tn}) => fp / (fp + tn)};

// What is known of a query besides its list.
const judgmentsOf = ({ideal, subtopics}) => ({ideal, subtopics});

// Name and cutoff of a measure of labels and scores.
const scoredMeasure = measure => [measure.split('@')[0], Number(measure.split('@')[1])];

function valueOf(measure, query) {
  if (!query.labels) return value(measure, query.grades, judgmentsOf(query));
  const [name, k] = scoredMeasure(measure);
  return name in RATES ? RATES[name](confusion(query, k)) : areaOf(query);
}

const bothClasses = values => values.filter(x => !Number.isNaN(x));
const weighted = (values, weights) => {
  const used = values.flatMap((x, j) => Number.isNaN(x) ? [] : [j]);
  return sum(used.map(j => weights[j] * values[j])) / sum(used.map(j => weights[j]));
};
const together = queries => ({labels: queries.flatMap(q => q.labels), scores: queries.flatMap(q => q.scores)});

// What becomes of the values of several queries.
const COMBINE = {
  mean,
  answered: values => mean(values.filter(x => x > 0)),
  groups: values => mean(bothClasses(values)),
  impressions: (values, queries) => weighted(values, queries.map(q => q.labels.length)),
  positives: (values, queries) => weighted(values, queries.map(q => sum(q.labels))),
  pooled: (values, queries) => areaOf(together(queries)),
};

// ---- kinds of questions ----

const good = grades => grades.filter(g => g > 0).length;

// A task as it stands after what it asks about: two ranks swapped, another grade, a relevant document moved, so many
// relevant documents in all, so many hits.
function variant(task, x) {
  const [query] = task.queries, {kind, at} = task;
  if (kind === 'swap') {
    const name = query.labels ? 'labels' : 'grades';
    return {...query, [name]: swapped(query[name], at[0] - 1, at[1] - 1)};
  }
  if (kind === 'grade') {
    const grades = query.grades.with(at - 1, x);
    return {...query, grades, ideal: downwards([...grades, ...query.missed])};
  }
  if (kind === 'rank') return {...query, grades: query.grades.toSpliced(at - 1, 1).toSpliced(x - 1, 0, 1)};
  if (kind === 'total') return {...query, ideal: downwards([...query.grades, ...times(x - good(query.grades), () => 1)])};
  return {...query, grades: query.grades.map((_, j) => j < x ? 1 : 0), ideal: query.ideal};
}

// What may be answered, in the order in which it is tried.
function domain({kind, at, top, k, queries: [{grades, ideal}]}) {
  if (kind === 'grade') return times(top + 1, g => g);
  if (kind === 'rank') return times(at, j => at - j);
  if (kind === 'total') return times(8, j => good(grades) + 7 - j);
  return times(Math.min(k, good(ideal)) + 1, hits => hits);
}

// The answer, if each query has the value that `of` gives it.
function solve(task, of) {
  const {kind, queries} = task;
  if (kind === 'value') return COMBINE[task.combine](queries.map(of), queries);
  if (kind === 'swap') return of(variant(task)) - of(queries[0]);
  if (kind === 'better') {
    const [a, b] = queries.map(of);
    return Math.abs(a - b) < 1e-9 ? 2 : a > b ? 0 : 1;
  }
  return domain(task).find(x => of(variant(task, x)) >= task.aim - 1e-9) ?? NaN;
}

const right = task => solve(task, query => valueOf(task.measure, query));

const listName = j => say`List ${'AB'[j]}`;
const LISTS = [listName(0), listName(1), say`Both alike`];

const DEALT = {
  value: () => ({}),
  better(die, task, {family}) {
    const [{grades, ideal, missed}] = task.queries;
    if (family.scored) return {queries: [task.queries[0], {...task.queries[0], labels: die.shuffle(task.queries[0].labels)}]};
    const pool = die.shuffle([...grades, ...missed]), n = grades.length;
    return {queries: [task.queries[0], {...task.queries[0], grades: pool.slice(0, n), ideal, missed: downwards(pool.slice(n)).filter(g => g > 0)}],
      choices: LISTS};
  },
  swap(die, {queries: [query]}) {
    const marks = query.labels ?? query.grades, ranks = die.shuffle(times(marks.length, j => j + 1));
    return {at: ranks.slice(0, 2).sort((a, b) => a - b)};
  },
  grade: (die, {queries: [{grades}]}, {family}) => {
    const depth = Math.min(grades.length, 4), top = family.top;
    return {at: die.between(1, depth), top, choices: times(top + 1, g => `${g}`)};
  },
  rank: (die, {queries: [{grades}]}) => ({at: grades.lastIndexOf(1) + 1}),
  total: () => ({}),
  hits: () => ({}),
};

// A number of two digits that the answer reaches and what is tried before it does not.
function aimAt(die, task) {
  const values = domain(task).map(x => valueOf(task.measure, variant(task, x)));
  const lows = values.map((x, j) => Math.ceil(100 * (Math.max(-1, ...values.slice(0, j)) + 0.002)));
  const gaps = values.map((x, j) => [lows[j], Math.floor(100 * (x - 0.002))]).filter(([low, high], j) => j > 0 && low > 1 && low <= high);
  return gaps.length ? die.between(...die.pick(gaps)) / 100 : NaN;
}

// Which convention gives a number: each choice is a measure, and what becomes of several queries.
function chooseConvention(die, task, {conventions}) {
  const choices = conventions.map(([measure, text, combine = task.combine, slip]) => {
    const asked = {...task, kind: 'value', combine, measure: cutAs(task, measure)};
    const of = slip ? query => SLIPS[parse(task.measure).name][slip].of(observe(task, query)) : query => valueOf(asked.measure, query);
    return {measure: slip ? slip : asked.measure, combine, text: spoken(text, task), value: solve(asked, of)};
  });
  const answer = die.between(0, choices.length - 1), given = choices[answer].value;
  const clear = choices.every(({value}, j) => Number.isFinite(value) && (j === answer || Math.abs(value - given) > 0.002));
  return {conventions: choices, choices: choices.map(choice => choice.text), given, answer: clear && given > 0 ? answer : NaN};
}

const cutAs = ({k}, measure) => measure.replace('@k', `@${k}`);
const spoken = (text, {k}) => text.replaceAll('@k', `@${k}`);

// ---- the topics and their levels ----

const FLAT = {n: [5, 7], top: 1, missed: [0, 0]}, LOSSY = {n: [6, 8], top: 1, missed: [1, 3]};
const GRADED = {n: [4, 6], top: 3, missed: [0, 0]}, GRADED_LOSSY = {n: [5, 7], top: 3, missed: [1, 3]};
const HOLES = {...GRADED_LOSSY, unjudged: 1}, SPARSE = {n: [5, 8], top: 1, missed: [0, 1], share: 0.3};
const ANSWERED = {n: [4, 5], top: 1, missed: [0, 1], share: 0.35, empty: 0.3};
const SERVED = {subtopics: 3, n: [5, 6]}, FOUR = {subtopics: 3, n: [4, 4], share: 0.45};
const SCORED = {scored: true, n: [5, 7]}, TIED = {...SCORED, ties: 2, order: false}, GROUP = {scored: true, n: [3, 5], single: 0.25};
const ask = (kind, family, measures, more = {}) => ({kind, family, measures: measures?.match(MEASURES_TO_DEAL), ...more});
const MEASURES_TO_DEAL = /[^\s(@]+(?:\([^)]*\)(?:'\))?)?(?:@\w+)?/g;
const over = (many, combine = 'mean') => ({queries: many, combine});

const TOPICS = {
  sets: [
    [ask('value', {...FLAT, missed: [0, 2]}, 'P@k R@k')],
    [ask('value', LOSSY, 'F@k F(beta=2)@k F(beta=0.5)@k R@k'), ask('swap', LOSSY, 'P@k R@k'), ask('hits', LOSSY, 'F@k R@k F(beta=2)@k'),
      ask('better', LOSSY, 'P@k R@k F@k')],
    [ask('value', GRADED_LOSSY, 'P(rel=2)@k R(rel=2)@k F(rel=2)@k'), ask('value', LOSSY, 'P@k R@k F@k', over(2)),
      ask('total', FLAT, 'R@k F@k F(beta=2)@k F(beta=0.5)@k'),
      ask('convention', LOSSY, 'R@k', {conventions: [['P@k', say`Hits divided by k`], ['R@k', say`Hits divided by R`], ["R(divisor='min(R,k)')@k", say`Hits divided by min(R, k)`],
        ['F@k', say`The harmonic mean of precision and recall`]]})],
  ],
  ap: [
    [ask('value', FLAT, 'AP')],
    [ask('value', LOSSY, 'AP AP@k'), ask('swap', LOSSY, 'AP'), ask('better', LOSSY, 'AP'), ask('rank', LOSSY, 'AP')],
    [ask('value', LOSSY, 'AP', over(2)), ask('value', GRADED_LOSSY, 'AP(rel=2)'), ask('value', LOSSY, "AP(divisor='min(R,k)')@k"),
      ask('convention', {...LOSSY, missed: [2, 4]}, 'AP@k', {conventions: [['AP@k', say`Cut at k, divided by R`], ["AP(divisor='min(R,k)')@k", say`Cut at k, divided by min(R, k)`],
        ["AP(divisor='retrieved')@k", say`Cut at k, divided by the relevant documents found`], ['AP', say`Not cut, divided by R`]]})],
  ],
  rr: [
    [ask('value', SPARSE, 'RR')],
    [ask('value', ANSWERED, 'RR', over(3)), ask('better', SPARSE, 'RR'), ask('swap', SPARSE, 'RR'), ask('value', SPARSE, 'RR RR@k')],
    [ask('value', ANSWERED, 'RR@k', over(4)), ask('value', {...GRADED_LOSSY, share: 0.4}, 'RR(rel=2)'),
      ask('convention', ANSWERED, 'RR@k', {...over(4), conventions: [['RR@k', say`RR@k, an unanswered query counts 0`],
        ['RR@k', say`RR@k, unanswered queries left out`, 'answered'], ['RR', say`RR not cut, an unanswered query counts 0`], ['RR', say`RR not cut, unanswered queries left out`, 'answered']]})],
  ],
  dcg: [
    [ask('value', GRADED, "CG@k DCG@k nDCG@k")],
    [ask('value', GRADED_LOSSY, "nDCG@k DCG(gain='exp')@k nDCG(gain='exp')@k"), ask('swap', GRADED_LOSSY, "DCG@k nDCG@k"),
      ask('better', GRADED_LOSSY, "nDCG@k nDCG(gain='exp')@k")],
    [ask('value', HOLES, "nDCG(gain='exp')@k nDCG(discount='jarvelin')@k"), ask('value', GRADED_LOSSY, 'nDCG@k', over(2)),
      ask('grade', GRADED_LOSSY, "nDCG@k nDCG(gain='exp')@k"),
      ask('convention', GRADED_LOSSY, 'nDCG@k', {conventions: [['nDCG@k', say`Gain g, ideal from all judged documents`], ["nDCG(gain='exp')@k", say`Gain 2^g − 1, ideal from all judged documents`],
        ["nDCG(discount='jarvelin')@k", say`Gain g, discount log₂ i from rank 2 on`], ['nDCG@k', say`Gain g, ideal sorted from the list`, 'mean', 'idealFromList']]})],
  ],
  cascade: [
    [ask('value', {...GRADED, n: [3, 4]}, 'ERR(max_grade=3)'), ask('value', {...FLAT, n: [4, 5]}, 'RBP(p=0.5) RBP(p=0.8)')],
    [ask('value', GRADED_LOSSY, 'ERR(max_grade=3)@k'), ask('value', LOSSY, 'RBP(p=0.8)@k RBP(p=0.5)@k'), ask('swap', {...GRADED, n: [3, 4]}, 'ERR(max_grade=3)'),
      ask('better', {...GRADED, n: [3, 4]}, 'ERR(max_grade=3)'), ask('swap', FLAT, 'RBP(p=0.8)')],
    [ask('value', {...GRADED, top: 4}, 'ERR(max_grade=4)@k'), ask('grade', {...GRADED, n: [3, 4]}, 'ERR(max_grade=3)'), ask('rank', SPARSE, 'RBP(p=0.8)'),
      ask('convention', GRADED, 'ERR(max_grade=3)@k', {conventions: [['ERR(max_grade=3)@k', say`ERR with the largest grade 3`], ['ERR(max_grade=4)@k', say`ERR with the largest grade 4`],
        ["ERR(max_grade=3,gain='linear')@k", say`ERR with g / 4 for (2^g − 1) / 8`], ['RR@k', say`RR, relevant from grade 1 on`]]})],
  ],
  auc: [
    [ask('value', SCORED, 'AUC'), ask('value', SCORED, 'TPR@k FPR@k')],
    [ask('value', TIED, 'AUC'), ask('better', SCORED, 'AUC'), ask('swap', SCORED, 'AUC')],
    [ask('value', GROUP, 'GAUC', over(3, 'groups')), ask('value', GROUP, 'GAUC', over(3, 'impressions')),
      ask('convention', GROUP, 'GAUC', {...over(3, 'groups'), conventions: [['AUC', say`The mean over users with both classes`, 'groups'], ['AUC', say`The same, weighted by impressions`, 'impressions'],
        ['AUC', say`The same, weighted by positives`, 'positives'], ['AUC', say`One AUC of all items together`, 'pooled']]})],
  ],
  subtopics: [
    [ask('value', SERVED, 'StRecall@k')],
    [ask('value', SERVED, "alpha_DCG(divisor='none')@k"), ask('swap', SERVED, "alpha_DCG(divisor='none')@k"), ask('better', SERVED, "StRecall@k alpha_DCG(divisor='none')@k")],
    [ask('value', FOUR, 'alpha_nDCG'), ask('value', SERVED, 'ERR_IA@k'),
      ask('convention', SERVED, 'alpha_nDCG@k', {conventions: [['alpha_nDCG@k', say`The ideal takes the document with the largest gain`], ['alpha_nDCG@k', say`The ideal is sorted by the number of subtopics`, 'mean', 'sortedIdeal'],
        ['alpha_DCG@k', say`Divided by k documents that serve every subtopic`], ['alpha_nDCG(alpha=0)@k', say`A repeated subtopic counts fully`]]})],
  ],
};

export const topics = [...Object.keys(TOPICS), 'mixed'];

// The task of a seed: {topic, level, seed, number, kind, measure, queries, answer, tolerance, slips, ...}. It is plain
// data. A draw whose answer would be trivial or in doubt is drawn again.
export function deal(topic, level, seed, number) {
  for (let draw = 0; draw < 500; draw++) {
    const die = dice([topic, level, seed, number, draw].join('/'));
    const chosen = topic === 'mixed' ? die.pick(Object.keys(TOPICS)) : topic;
    const task = draft(die, chosen, level);
    if (task) return {...task, seed, number, slips: slipsOf(task)};
  }
  throw new Error(`there is no task of the topic ${topic} on level ${level}`);
}

function draft(die, topic, level) {
  const asked = die.pick(TOPICS[topic][level - 1]), {kind, family} = asked;
  const queries = times(asked.queries ?? 1, () => dealQuery(die, family));
  const shortest = Math.min(...queries.map(q => (q.labels ?? q.grades).length));
  const k = die.between(Math.min(2 + (shortest > 4), shortest - 1), shortest - 1);
  const measure = cutAs({k}, die.pick(asked.measures));
  const base = {topic, level, kind, measure, scale: family.top ?? 1, combine: asked.combine ?? 'mean', queries, k};
  if (kind === 'convention') {
    const task = {...base, ...chooseConvention(die, base, asked)};
    return Number.isNaN(task.answer) || isTrivial(task) ? null : {...task, tolerance: 0};
  }
  if (kind === 'better' && family.scored) base.choices = LISTS;
  let task = {...base, ...DEALT[kind](die, base, asked)};
  if (['grade', 'rank', 'total', 'hits'].includes(kind)) task = {...task, aim: aimAt(die, task)};
  return finish(die, task, kind);
}

function finish(die, task, kind) {
  const answer = right(task), exact = !['value', 'swap'].includes(kind);
  if (Number.isNaN(answer) || exact && 'aim' in task && Number.isNaN(task.aim)) return null;
  if (!exact && Math.abs(answer) < 0.006) return null;
  if (isTrivial({...task, answer})) return null;
  if (kind === 'better' && answer === 2 && (die.next() < 0.8 || `${marks(task.queries[0])}` === `${marks(task.queries[1])}`)) return null;
  return {...task, answer, tolerance: exact ? 0 : Math.max(1e-3, 1e-4 * Math.abs(answer))};
}

const marks = query => query.labels ?? query.grades;

const SUMS = /^(CG|DCG|nDCG|AP|RBP|ERR|alpha)/;

// Is there nothing to compute? A sum needs two terms that are not 0, in one of the queries; a mean two values that are
// not 0; and a share is neither 0 nor 1.
function isTrivial({kind, measure, queries, answer}) {
  const terms = ({grades, ...query}) => work(measure, grades, judgmentsOf(query)).terms.filter(term => term !== 0);
  if (SUMS.test(measure) && Math.max(...queries.map(query => terms(query).length)) < 2) return true;
  if (kind !== 'value') return false;
  if (!SUMS.test(measure) && [0, 1].includes(answer)) return true;
  return queries.length > 1 && queries.filter(query => valueOf(measure, query) > 0).length < 2;
}

// ---- the slips ----

// What is known of a query when a slip is tried on it.
function observe({measure}, query) {
  if (query.labels) return {query, ...comparedPairs(query), ...confusion(query, scoredMeasure(measure)[1])};
  const {grades, ideal} = query, found = work(measure, grades, judgmentsOf(query)), {p, list, terms} = found;
  const hit = list.documents.map(d => d.g >= (p.rel ?? 1) ? d.i : 0).filter(Boolean), inTop = hit.filter(i => within({i}, p));
  const again = (options = {}, changed = grades) => value(measure, changed, {...judgmentsOf(query), ...options});
  return {query, grades, ideal, found, p, k: p.k, n: grades.length, depth: p.k ?? grades.length, hit, inTop, R: relevant(list, {rel: p.rel ?? 1}),
    top: sum(terms), whole: found.whole ?? 1, again, documents: list.documents};
}

const inverses = ranks => sum(ranks.map(i => 1 / i));
const precisionSum = (ranks, divisor) => sum(ranks.map((i, j) => divisor(j + 1, i)));
const isR = ({R, hit: {length: found}}) => R === found ? say`R is ${R}: ${found} retrieved.` : say`R is ${R}: ${found} retrieved and ${R - found} not.`;

// A slip: the step where it goes off, what was done, what is so instead, and the value of a query by it.
const slip = (step, why, of, but = () => '') => ({step, why, of, but});
const FAR = 1000;

const forRanks = {
  uncut: slip('terms', say`You did not cut the list.`, one => one.k ? one.again({k: FAR}) : NaN, one => say`Only the first ${one.k} ranks count.`),
  gradeOne: slip('terms', say`You counted every grade from 1 on as relevant.`, one => one.p.rel > 1 ? one.again({rel: 1}) : NaN, one => say`Here it begins at grade ${one.p.rel}.`),
};

const forHits = {
  ...forRanks,
  hitsOnly: slip('whole', say`You counted the hits and did not divide.`, one => one.inTop.length),
  overN: slip('whole', say`You divided by the length of the list.`, one => one.inTop.length / one.n),
  graded: slip('terms', say`You added the grades.`, one => sum(one.documents.filter(d => within(d, one.p)).map(d => d.g)) / one.whole, () => say`A hit counts 1, whatever its grade.`),
  oneLess: slip('terms', say`You have one hit too few.`, one => one.found.name === 'F' ? NaN : (one.inTop.length - 1) / one.whole, one => say`There are ${one.inTop.length}, at ${ranksText(one.inTop)}.`),
  oneMore: slip('terms', say`You have one hit too many.`, one => one.found.name === 'F' ? NaN : (one.inTop.length + 1) / one.whole, one => say`There are ${one.inTop.length}, at ${ranksText(one.inTop)}.`),
};

const fScore = (precision, recall, beta) => (1 + beta) * precision * recall / (beta * precision + recall);
const ofF = (step, why, formula, but) => slip(step, why, one => formula(one.inTop.length / one.depth, one.inTop.length / one.R, one.p.beta), but);

const discountedBy = (documents, gain, weight, k) => sum(documents.map(({g, i}) => k && i > k ? 0 : gain(g) * weight(i)));
const inBestOrder = grades => downwards(grades).map((g, j) => ({g, i: j + 1}));

// nDCG (or DCG, or CG) of a query with something else in one place.
function recounted(one, {documents = one.documents, pool = one.ideal, gain = GAINS[one.p.gain], best = gain, k = one.k, bestK = k, ...change} = {}) {
  const standard = one.found.name === 'CG' ? () => 1 : i => DISCOUNTS[one.p.discount](i, one.p.b), weight = change.weight ?? standard;
  const top = discountedBy(documents, gain, weight, k);
  return one.found.name === 'nDCG' ? top / discountedBy(inBestOrder(pool), best, change.bestWeight ?? weight, bestK) : top;
}

const normalised = of => one => one.found.name === 'nDCG' ? of(one) : NaN;
const discountedOnly = of => one => one.found.name === 'CG' ? NaN : of(one);
const otherGain = one => GAINS[one.p.gain === 'exp' ? 'linear' : 'exp'];
const gainText = one => one.p.gain === 'exp' ? say`Here it is 2^g − 1: 1, 3, 7 for the grades 1, 2, 3.` : say`Here the gain is the grade.`;
const isLog2 = one => one.p.discount === 'log2';

const forGains = {
  idealFromList: slip('whole', say`You sorted the ideal from the returned list.`, normalised(one => recounted(one, {pool: one.grades})),
    one => say`It comes from all judged documents: what was not retrieved (${listed(one.query.missed)}) belongs to it.`),
  idealFromTop: slip('whole', say`You sorted the ideal from the first k results.`, normalised(one => recounted(one, {pool: one.grades.slice(0, one.depth)})),
    () => say`It comes from all judged documents.`),
  idealUncut: slip('whole', say`You did not cut the ideal at k.`, normalised(one => recounted(one, {bestK: null})), one => say`The ideal has ${one.k} ranks too.`),
  otherGain: slip('terms', say`You took the other gain.`, one => recounted(one, {gain: otherGain(one)}), gainText),
  otherGainAbove: slip('terms', say`You took the other gain in DCG, but not in the ideal.`, normalised(one => recounted(one, {gain: otherGain(one), best: GAINS[one.p.gain]})), gainText),
  otherGainBelow: slip('whole', say`You took the other gain in the ideal, but not in DCG.`, normalised(one => recounted(one, {best: otherGain(one)})), gainText),
  binary: slip('terms', say`You counted every relevant document as 1.`, one => recounted(one, {gain: GAINS.binary}), gainText),
  notDivided: slip('whole', say`You stopped at DCG.`, normalised(one => one.top), one => say`It is divided by the DCG of the ideal order, ${decimals(one.whole)}.`),
  idealOnly: slip('value', say`That is the DCG of the ideal order.`, normalised(one => one.whole)),
  inverted: slip('value', say`You divided the ideal by DCG.`, normalised(one => one.whole / one.top), () => say`It is the other way round, and never above 1.`),
  ln: slip('terms', say`You took ln for log₂.`, discountedOnly(one => recounted(one, {weight: i => 1 / Math.log(i + 1)})), () => say`The discount is log₂(i + 1): 1, 1.585, 2, 2.322.`),
  log10: slip('terms', say`You took log₁₀ for log₂.`, discountedOnly(one => recounted(one, {weight: i => 1 / Math.log10(i + 1)})), () => say`The discount is log₂(i + 1): 1, 1.585, 2, 2.322.`),
  rankFrom0: slip('terms', say`You counted the ranks from 0: log₂ i, ranks 1 and 2 undiscounted.`,
    discountedOnly(one => isLog2(one) ? recounted(one, {weight: i => 1 / Math.max(1, Math.log2(i))}) : NaN), () => say`Rank 1 has log₂ 2 = 1, rank 2 has log₂ 3.`),
  rankFrom2: slip('terms', say`You counted the ranks from 2: rank 1 got log₂ 3.`, discountedOnly(one => recounted(one, {weight: i => 1 / Math.log2(i + 2)})), () => say`Rank 1 has log₂ 2 = 1.`),
  standardDiscount: slip('terms', say`You took the discount log₂(i + 1).`, discountedOnly(one => isLog2(one) ? NaN : recounted(one, {weight: DISCOUNTS.log2})), () => say`Here it is log₂ i from rank 2 on.`),
  byRank: slip('terms', say`You divided by the rank.`, discountedOnly(one => recounted(one, {weight: i => 1 / i})), () => say`The discount is a logarithm of it.`),
  noDiscount: slip('terms', say`You left out the discount.`, discountedOnly(one => recounted(one, {weight: () => 1}))),
  discount: slip('terms', say`You discounted.`, one => one.found.name === 'CG' ? recounted(one, {weight: DISCOUNTS.log2}) : NaN, () => say`CG is the plain sum of the gains.`),
  overK: slip('whole', say`You divided by k.`, one => one.top / one.depth),
  valueOverK: slip('value', say`You divided nDCG by k.`, normalised(one => one.found.value / one.depth), () => say`DCG / IDCG is the value already.`),
  rankFrom2Above: slip('terms', say`You took the discount log₂(i + 2) in DCG, but not in the ideal.`,
    normalised(one => recounted(one, {weight: i => 1 / Math.log2(i + 2), bestWeight: i => DISCOUNTS[one.p.discount](i, one.p.b)})), () => say`Rank 1 has log₂ 2 = 1.`),
  uncut: slip('terms', say`You did not cut the list.`, one => recounted(one, {k: null, bestK: null}), one => say`Only the first ${one.k} ranks count.`),
  condensed: slip('terms', say`You removed the unjudged documents.`, one => recounted(one, {documents: one.documents.map(({g}, j) => ({g, i: j + 1}))}), () => say`It keeps its rank, with gain 0.`),
};

// ERR of a query with something else in one place.
function readOn(one, {satisfied = g => (2 ** g - 1) / 2 ** one.p.max_grade, weight = i => 1 / i, arrive = before => before} = {}) {
  let reading = 1;
  return sum(one.documents.map(({g, i}) => {
    const before = reading;
    reading *= 1 - satisfied(g);
    return within({i}, one.p) ? weight(i) * arrive(before, reading) * satisfied(g) : 0;
  }));
}

// A measure of novelty of a query with something else in one place.
function countAnew(one, {grades = one.grades, fade = times => (1 - one.p.alpha) ** times, weight = DISCOUNTS.log2, worth = all => all, k = one.depth} = {}) {
  const seen = [], nth = s => { seen[s] = (seen[s] ?? -1) + 1; return seen[s]; };
  return sum(grades.slice(0, k).map((g, j) => weight(j + 1) * worth(sum(served(g, one.query.subtopics).map(s => fade(nth(s)))))));
}

const bestFirst = one => one.found.ideal.documents.map(({g}) => g);
const bySubtopics = one => [...one.ideal].sort((a, b) => served(b, one.query.subtopics).length - served(a, one.query.subtopics).length);
const normalisedNovelty = of => one => one.found.name === 'alpha_nDCG' ? of(one) : NaN;
const newly = (change, best = bestFirst) => one => {
  const top = countAnew(one, change);
  return one.found.name === 'alpha_nDCG' ? top / countAnew(one, {...change, grades: best(one)}) : top;
};

const forNovelty = {
  repeatedFully: slip('terms', say`You counted a repeated subtopic fully.`, newly({fade: () => 1}, bySubtopics), () => say`Each repetition halves its gain: 1, 1/2, 1/4.`),
  repeatedAbove: slip('terms', say`You counted a repeated subtopic fully in the list, but not in the ideal.`, normalisedNovelty(one => countAnew(one, {fade: () => 1}) / one.whole), () => say`Each repetition halves its gain: 1, 1/2, 1/4.`),
  repeatedNot: slip('terms', say`You counted a repeated subtopic as 0.`, newly({fade: times => times ? 0 : 1}), () => say`Each repetition halves its gain: 1, 1/2, 1/4.`),
  repeatedThird: slip('terms', say`You took 1, 1/2, 1/3 for a repeated subtopic.`, newly({fade: times => 1 / (times + 1)}), () => say`Each repetition halves its gain: 1, 1/2, 1/4.`),
  oncePerDocument: slip('terms', say`You counted each relevant document as 1.`, newly({fade: () => 1, worth: all => Math.min(1, all)}, bySubtopics), () => say`The gain of a document is the sum over its subtopics.`),
  rankFrom0: slip('terms', say`You counted the ranks from 0: log₂ i, ranks 1 and 2 undiscounted.`, newly({weight: i => 1 / Math.max(1, Math.log2(i))}), () => say`Rank 1 has log₂ 2 = 1, rank 2 has log₂ 3.`),
  rankFrom2: slip('terms', say`You counted the ranks from 2: rank 1 got log₂ 3.`, newly({weight: i => 1 / Math.log2(i + 2)}), () => say`Rank 1 has log₂ 2 = 1.`),
  byRank: slip('terms', say`You divided by the rank.`, newly({weight: i => 1 / i}), () => say`The discount is a logarithm of it.`),
  noDiscount: slip('terms', say`You left out the discount.`, newly({weight: () => 1})),
  sortedIdeal: slip('whole', say`You sorted the ideal by the number of subtopics.`, normalisedNovelty(one => one.top / countAnew(one, {grades: bySubtopics(one)})),
    () => say`It takes at each rank the document with the largest gain, and a repeated subtopic counts less.`),
  notDivided: slip('whole', say`You stopped at alpha-DCG.`, normalisedNovelty(one => one.top), one => say`It is divided by the sum of the ideal order, ${decimals(one.whole)}.`),
  idealOnly: slip('value', say`That is the sum of the ideal order.`, normalisedNovelty(one => one.whole)),
  uncut: slip('terms', say`You did not cut the list.`, one => one.k ? newly({k: FAR})(one) : NaN, one => say`Only the first ${one.k} ranks count.`),
};

const intents = change => one => countAnew(one, {weight: i => 1 / i, ...change}) / one.whole;
const forIntents = {
  repeatedFully: slip('terms', say`You counted a repeated subtopic fully.`, intents({fade: () => 1}), () => say`Each repetition halves its gain: 1, 1/2, 1/4.`),
  repeatedNot: slip('terms', say`You counted a repeated subtopic as 0.`, intents({fade: times => times ? 0 : 1}), () => say`Each repetition halves its gain: 1, 1/2, 1/4.`),
  log: slip('terms', say`You took log₂(i + 1) for i.`, intents({weight: DISCOUNTS.log2})),
  rankFrom2: slip('terms', say`You counted the ranks one too deep.`, intents({weight: i => 1 / (i + 1)}), () => say`The first rank is 1.`),
  notDivided: slip('whole', say`You did not divide.`, one => one.top, one => say`It is divided by the sum of k documents that serve every subtopic, ${decimals(one.whole)}.`),
  overSubtopics: slip('whole', say`You divided by the number of subtopics only.`, one => one.top / subtopicsThere(one.found.list), one => say`It is divided by the sum of k documents that serve every subtopic, ${decimals(one.whole)}.`),
  uncut: slip('terms', say`You did not cut the list.`, one => one.again({k: one.n}), one => say`Only the first ${one.k} ranks count.`),
};

const subtopicsText = one => say`${one.whole} subtopics have a relevant document.`;
const forSubtopics = {
  repeated: slip('terms', say`You counted a repeated subtopic again.`, one => countAnew(one, {fade: () => 1, weight: () => 1}) / one.whole, () => say`A subtopic counts once.`),
  documents: slip('terms', say`You counted the relevant documents.`, one => one.inTop.length / one.whole, () => say`A subtopic counts once.`),
  precision: slip('value', say`That is precision.`, one => one.inTop.length / one.depth, subtopicsText), recall: slip('value', say`That is the recall of documents.`, one => one.inTop.length / one.R, subtopicsText),
  notDivided: slip('whole', say`You counted the subtopics and did not divide.`, one => one.top, subtopicsText),
  overK: slip('whole', say`You divided by the number of ranks.`, one => one.top / one.depth, subtopicsText),
  allSubtopics: slip('whole', say`You also counted a subtopic without a relevant document.`, one => one.top / one.query.subtopics, subtopicsText),
  uncut: forRanks.uncut,
};

const SLIPS = {
  StRecall: forSubtopics, alpha_DCG: forNovelty, alpha_nDCG: forNovelty, ERR_IA: forIntents,
  P: {...forHits, overR: slip('whole', say`You divided by R. That is recall.`, one => one.inTop.length / one.R, one => say`Precision divides by k, ${one.k}.`),
    overMin: slip('whole', say`You divided by min(R, k).`, one => one.inTop.length / Math.min(one.R, one.depth)),
    uncut: slip('terms', say`You counted the hits of the whole list.`, one => one.hit.length / one.depth, one => say`Only the first ${one.k} ranks count.`),
    wholeList: slip('terms', say`You took the precision of the whole list.`, one => one.hit.length / one.n, one => say`Only the first ${one.k} ranks count, divided by ${one.k}.`)},
  R: {...forHits, overK: slip('whole', say`You divided by k. That is precision.`, one => one.inTop.length / one.depth, isR),
    overFound: slip('whole', say`You took the relevant documents of the list for all there are.`, one => one.inTop.length / one.hit.length, isR),
    overMin: slip('whole', say`You divided by min(R, k).`, one => one.inTop.length / Math.min(one.R, one.depth), isR)},
  F: {...forRanks, mean: ofF('value', say`You took the plain mean of precision and recall.`, (p, r) => (p + r) / 2, () => say`F is the harmonic mean.`),
    precision: ofF('value', say`That is precision.`, p => p), recall: ofF('value', say`That is recall.`, (p, r) => r),
    product: ofF('value', say`You forgot the factor 1 + β².`, (p, r, beta) => fScore(p, r, beta ** 2) / (1 + beta ** 2)),
    root: ofF('value', say`You took the geometric mean.`, (p, r) => Math.sqrt(p * r), () => say`F is the harmonic mean.`),
    otherBeta: ofF('value', say`You gave β to the other one.`, (p, r, beta) => fScore(p, r, beta ** -2), () => say`β above 1 favours recall, below 1 precision.`),
    betaOne: ofF('value', say`That is F1.`, (p, r) => fScore(p, r, 1)), betaPlain: ofF('value', say`You forgot to square β.`, (p, r, beta) => fScore(p, r, beta)),
    found: slip('whole', say`You took the relevant documents of the list for all there are.`, one => fScore(one.inTop.length / one.depth, one.inTop.length / one.hit.length, one.p.beta ** 2), isR)},
  AP: {
    overFound: slip('whole', say`You divided by the relevant documents that were found.`, one => one.top / one.inTop.length, one => say`You divided by ${one.inTop.length}; ${isR(one)}`),
    overK: slip('whole', say`You divided by the number of ranks.`, one => one.top / one.depth, one => say`You divided by ${one.depth}; ${isR(one)}`),
    overN: slip('whole', say`You divided by the length of the list.`, one => one.top / one.n, isR),
    overMin: slip('whole', say`You divided by min(R, k).`, one => one.top / Math.min(one.R, one.depth), isR),
    overR: slip('whole', say`You divided by R.`, one => one.top / one.R, one => say`Here it is min(R, k) = ${decimalsShort(one.whole)}.`),
    notDivided: slip('whole', say`You added the precisions and did not divide.`, one => one.top, isR),
    onlyRanks: slip('terms', say`You took 1/i at each relevant document.`, one => inverses(one.inTop) / one.whole, () => say`The r-th relevant document counts r/i.`),
    everyRank: slip('terms', say`You took the precision at every rank.`, one => mean(times(one.depth, j => one.hit.filter(i => i <= j + 1).length / (j + 1))), () => say`It counts only where a relevant document stands.`),
    rankFrom0: slip('terms', say`You counted the ranks from 0.`, one => precisionSum(one.inTop, (r, i) => r / (i - 1)) / one.whole, () => say`The first rank is 1.`),
    rankFrom2: slip('terms', say`You counted the ranks one too deep.`, one => precisionSum(one.inTop, (r, i) => r / (i + 1)) / one.whole, () => say`The first rank is 1.`),
    hitsFrom0: slip('terms', say`You counted the relevant documents from 0.`, one => precisionSum(one.inTop, (r, i) => (r - 1) / i) / one.whole, () => say`The document itself counts: r/i.`),
    precision: slip('value', say`That is precision.`, one => one.inTop.length / one.depth), recall: slip('value', say`That is recall.`, one => one.inTop.length / one.R),
    ...forRanks},
  RR: {
    rank: slip('value', say`That is the rank.`, one => one.inTop[0] ?? NaN, () => say`RR is 1 divided by it.`),
    rankFrom0: slip('terms', say`You counted the ranks from 0.`, one => one.inTop.length ? 1 / (one.inTop[0] - 1) : 0, () => say`The first rank is 1.`),
    rankFrom2: slip('terms', say`You counted the ranks one too deep.`, one => one.inTop.length ? 1 / (one.inTop[0] + 1) : 0, () => say`The first rank is 1.`),
    allRelevant: slip('terms', say`You added 1/i over all relevant documents.`, one => inverses(one.inTop), () => say`Only the first one counts.`),
    meanRelevant: slip('terms', say`You took the mean of 1/i over all relevant documents.`, one => inverses(one.inTop) / (one.inTop.length || 1), () => say`Only the first one counts.`),
    second: slip('terms', say`You overlooked the first relevant document.`, one => one.inTop.length > 1 ? 1 / one.inTop[1] : NaN, one => say`It stands at rank ${one.inTop[0]}.`),
    last: slip('terms', say`You took the last relevant document.`, one => one.inTop.length ? 1 / one.inTop.at(-1) : 0, () => say`Only the first one counts.`),
    log: slip('terms', say`You took log₂(i + 1) for i.`, one => one.inTop.length ? 1 / Math.log2(one.inTop[0] + 1) : 0),
    ...forRanks},
  CG: forGains, DCG: forGains, nDCG: forGains,
  ERR: {
    linear: slip('terms', say`You took g / (largest grade) for the chance to stop.`, one => readOn(one, {satisfied: g => g / one.p.max_grade}), one => satisfiedText(one)),
    overGains: slip('terms', say`You divided 2^g − 1 by the largest gain.`, one => readOn(one, {satisfied: g => (2 ** g - 1) / (2 ** one.p.max_grade - 1)}), one => satisfiedText(one)),
    notLess: slip('terms', say`You forgot the − 1.`, one => readOn(one, {satisfied: g => g ? 2 ** g / 2 ** one.p.max_grade : 0}), one => satisfiedText(one)),
    scaleOfList: slip('terms', say`You took the largest grade of the list for that of the scale.`, one => readOn(one, {satisfied: g => (2 ** g - 1) / 2 ** Math.max(...downwards(one.grades))}),
      one => satisfiedText(one)),
    scaleAbove: slip('terms', say`You took a largest grade that is one too high.`, one => readOn(one, {satisfied: g => (2 ** g - 1) / 2 ** (one.p.max_grade + 1)}), one => satisfiedText(one)),
    everybody: slip('terms', say`You let every reader get to every rank.`, one => readOn(one, {arrive: () => 1}), () => say`Those who stopped above are gone: the product of 1 − R.`),
    themselves: slip('terms', say`You took off the readers who stop at the rank itself.`, one => readOn(one, {arrive: (before, after) => after}), () => say`The product runs over the ranks above.`),
    noRank: slip('terms', say`You forgot 1/i.`, one => readOn(one, {weight: () => 1}), () => say`That is the share of readers who are satisfied at all.`),
    log: slip('terms', say`You took log₂(i + 1) for i.`, one => readOn(one, {weight: DISCOUNTS.log2})),
    rankFrom2: slip('terms', say`You counted the ranks one too deep.`, one => readOn(one, {weight: i => 1 / (i + 1)}), () => say`The first rank is 1.`),
    uncut: forRanks.uncut},
  RBP: {
    noFactor: slip('whole', say`You forgot the factor 1 − p.`, one => one.top / (1 - one.p.p)),
    powerI: slip('terms', say`You took pⁱ.`, one => one.top * one.p.p, () => say`Rank 1 has p⁰ = 1.`),
    swapped: slip('terms', say`You took p for 1 − p.`, one => one.again({p: 1 - one.p.p}), () => say`The reader goes on with p, and stops with 1 − p.`),
    factorP: slip('whole', say`You took the factor p.`, one => one.top / (1 - one.p.p) * one.p.p),
    reciprocal: slip('terms', say`You took 1/i.`, one => inverses(one.inTop) * (1 - one.p.p)),
    overK: slip('whole', say`You divided by the number of ranks.`, one => one.top / one.depth),
    overR: slip('whole', say`You divided by R.`, one => one.top / one.R), ...forRanks},
  AUC: {
    inverted: slip('terms', say`You counted the pairs in the wrong order.`, ({won, tied, all}) => 1 - (won + tied / 2) / all),
    tiesLost: slip('terms', say`You counted equal scores as lost.`, ({won, all}) => won / all, () => say`Such a pair counts one half.`),
    tiesWon: slip('terms', say`You counted equal scores as won.`, ({won, tied, all}) => (won + tied) / all, () => say`Such a pair counts one half.`),
    notDivided: slip('whole', say`You did not divide.`, ({won, tied}) => won + tied / 2, ({all}) => say`There are ${all} pairs.`),
    allPairs: slip('whole', say`You divided by all pairs of items.`, ({won, tied, n}) => (won + tied / 2) / (n * (n - 1) / 2), ({all}) => say`Only pairs of a positive and a negative count: ${all}.`),
    overN: slip('whole', say`You divided by the number of items.`, ({won, tied, n}) => (won + tied / 2) / n, ({all}) => say`There are ${all} pairs.`),
  },
  TPR: {
    precision: slip('whole', say`You divided by k. That is precision.`, ({tp, k}) => tp / k, ({tp, fn}) => say`There are ${tp + fn} positives.`),
    other: slip('value', say`That is the false positive rate.`, RATES.FPR), overN: slip('whole', say`You divided by all items.`, ({tp, n}) => tp / n),
    missed: slip('terms', say`That is the share of positives that were missed.`, ({tp, fn}) => fn / (tp + fn)),
  },
  FPR: {
    discovery: slip('whole', say`You divided by k: FP / (TP + FP).`, ({fp, k}) => fp / k, ({fp, tn}) => say`There are ${fp + tn} negatives: FP / (FP + TN).`),
    other: slip('value', say`That is the true positive rate.`, RATES.TPR), overN: slip('whole', say`You divided by all items.`, ({fp, n}) => fp / n),
    specificity: slip('terms', say`That is the share of negatives that were left out.`, ({fp, tn}) => tn / (fp + tn)),
    overPositives: slip('whole', say`You divided by the positives.`, ({fp, tp, fn}) => fp / (tp + fn)),
  },
};
SLIPS.GAUC = SLIPS.AUC;

const decimalsShort = x => `${Number(x.toFixed(4))}`;
const satisfiedText = ({p: {max_grade: top}}) => say`A reader stops with (2^g − 1) / 2^${top}: ${listed(times(top + 1, g => `${2 ** g - 1}/${2 ** top}`))}.`;
function ranksText(ranks) {
  if (!ranks.length) return say`no rank`;
  return ranks.length === 1 ? say`rank ${ranks[0]}` : say`ranks ${listed(ranks)}`;
}

// With several queries: what may go wrong when their values are put together.
const SEVERAL = {
  leftOut: ['mean', say`You left out a query without a hit.`, ({values}) => mean(values.filter(x => x > 0)), say`It counts as 0.`],
  summed: ['mean', say`You added and did not divide by the number of queries.`, ({values}) => sum(values), ''],
  meanRank: ['mean', say`You took 1 divided by the mean rank.`, ({values, name}) => name === 'RR' ? 1 / mean(values.filter(x => x > 0).map(x => 1 / x)) : NaN, say`The mean is taken of 1/i.`],
  ranks: ['mean', say`You took the mean rank.`, ({values, name}) => name === 'RR' ? mean(values.filter(x => x > 0).map(x => 1 / x)) : NaN, say`The mean is taken of 1/i.`],
  pooled: ['mean', say`You put the queries into one pot.`, ({seen}) => sum(seen.map(one => one.top)) / sum(seen.map(one => one.whole)), say`Each query has a value, and all queries count alike.`],
  best: ['mean', say`That is the best query.`, ({values}) => Math.max(...values), ''],
  worst: ['mean', say`That is the worst query.`, ({values}) => Math.min(...values), ''],
};
const plainValues = values => values.map(x => Number.isNaN(x) ? 0 : x);
const SEVERAL_USERS = {
  pooled: ['mean', say`You took one AUC of all items together.`, COMBINE.pooled, say`GAUC compares the items of one user only.`],
  plain: ['mean', say`You took the plain mean.`, COMBINE.groups, say`Here a user weighs as much as it has items.`],
  impressions: ['mean', say`You weighted by impressions.`, COMBINE.impressions, say`Here all users count alike.`],
  positives: ['mean', say`You weighted by positives.`, COMBINE.positives, ''],
  asZero: ['mean', say`You counted a user with one class as 0.`, values => mean(plainValues(values)), say`Such a user has no AUC and is left out.`],
  asHalf: ['mean', say`You counted a user with one class as 0.5.`, values => mean(values.map(x => Number.isNaN(x) ? 0.5 : x)), say`Such a user has no AUC and is left out.`],
};

// What is recognised in an answer to a task: {name, step, text, value}. None has the value of the right answer.
function slipsOf(task) {
  const name = task.queries[0].labels ? scoredMeasure(task.measure)[0] : parse(task.measure).name;
  if (task.kind === 'convention') return [];
  const single = task.kind === 'value' && task.queries.length === 1, one = single && observe(task, task.queries[0]);
  const known = Object.entries(SLIPS[name]).map(([called, {step, why, of, but}]) => {
    const text = single ? sentences(why, but(one)) : why;
    return {name: called, step, text, value: solve(task, query => of(observe(task, query)))};
  });
  const all = [...known, ...several(task, name), ...single ? forgotten(task, one) : [], ...task.kind === 'swap' ? swapSlips(task) : []];
  const apart = task.tolerance ? 2 * task.tolerance + 1e-9 : 0;
  return all.filter(({value}) => Number.isFinite(value) && Math.abs(value - task.answer) > apart);
}

function several(task, name) {
  if (task.kind !== 'value' || task.queries.length === 1) return [];
  const {queries} = task, values = queries.map(query => valueOf(task.measure, query)), users = name === 'GAUC';
  const seen = users ? [] : queries.map(query => observe(task, query));
  const apply = of => users ? of(values, queries) : of({values, seen, name});
  return Object.entries(users ? SEVERAL_USERS : SEVERAL).map(([called, [step, why, of, but]]) => ({name: called, step, text: sentences(why, but), value: apply(of)}));
}

// One document is overlooked: its term is missing, or it is taken for one that is not relevant; or a missed one lacks in the ideal.
function forgotten(task, one) {
  if (!one.found) return [];
  const {query, found, grades, top, whole} = one, {documents, terms, name} = {...found.list, ...found};
  const skipped = documents.flatMap(({i, g}, j) => {
    if (!terms[j]) return [];
    const text = query.subtopics ? say`You left out rank ${i}.` : say`You left out rank ${i} (grade ${g}).`, without = grades.with(i - 1, 0);
    return [{name: 'termForgotten', step: 'terms', text, value: (top - terms[j]) / whole}, {name: 'documentForgotten', step: 'terms', text, value: one.again({}, without)}];
  });
  const lost = name !== 'nDCG' ? [] : [...new Set(query.missed)].map(g => {
    const pool = one.ideal.toSpliced(one.ideal.indexOf(g), 1), text = say`The ideal lacks the grade ${g} that was not retrieved.`;
    return {name: 'missedForgotten', step: 'whole', text, value: recounted(one, {pool})};
  });
  return [...skipped, ...lost];
}

function swapSlips(task) {
  const [query] = task.queries, after = variant(task), [old, now] = [query, after].map(each => valueOf(task.measure, each));
  const found = [{name: 'sign', step: 'value', text: say`The sign is wrong: it is the new value minus the old one.`, value: old - now},
    {name: 'newValue', step: 'value', text: say`That is the new value; the change was asked for.`, value: now},
    {name: 'oldValue', step: 'value', text: say`That is the value before the swap.`, value: old}];
  if (query.labels) return found;
  const [a, b] = [query, after].map(each => work(task.measure, each.grades, judgmentsOf(each))), whole = a.whole ?? 1;
  const gaps = a.rows.map((row, j) => b.rows[j].term - row.term), there = sum(task.at.map(rank => gaps[rank - 1]));
  return [...found, {name: 'notDivided', step: 'whole', text: say`You did not divide by ${decimalsShort(whole)}.`, value: sum(gaps)},
    {name: 'onlyTwoRanks', step: 'terms', text: say`You changed the terms of these two ranks only; those between them change too.`, value: there / whole}];
}

// ---- marking ----

const FUNCTIONS = {log2: Math.log2, log10: Math.log10, lg: Math.log10, ln: Math.log, sqrt: Math.sqrt};

// Fractions that are one sign: ¾ is 3/4, and 1¾ is 1 + 3/4.
const asQuotient = (_, whole, sign) => `(${whole || 0}+${sign.normalize('NFKC')})`;

// An answer in plain signs: also those of a Chinese keyboard, of a book, and of Python.
const plainly = text => `${text}`.replace(/[！-～]/g, sign => sign.normalize('NFKC')).toLowerCase().replace(/(\d*)\s*([¼-¾⅐-⅞])/g, asQuotient).replace(/[−–]/g, '-').replace(/[×·⋅]/g, '*').replace(/[÷⁄∕]/g, '/').replace(/\*\*/g, '^')
  .replace(/log_?₂|log_2/g, 'log2').replace(/√/g, 'sqrt').replace(/\b(math|np|numpy)\.(?=[a-z])/g, '').replace(/(\d),(\d)/g, '$1.$2').replace(/[≈≃≐~]/g, '=').replace(/^[\s=]+|[\s.。,;!]+$/g, '');

// The value of arithmetic in plain signs; `log` is the logarithm of a word without a base. NaN if it cannot be read.
function calculate(plain, log) {
  const known = {...FUNCTIONS, log}, tokens = plain.match(/log2|log10|log|lg|ln|sqrt|\d+\.?\d*|\.\d+|[-+*/^()%]|\S/g) ?? [];
  let at = 0;
  const take = wanted => tokens[at] === wanted && ++at > 0;
  const inBrackets = () => {
    const inside = total();
    return take(')') ? inside : NaN;
  };
  const atom = () => {
    const token = tokens[at++];
    if (token === '(') return inBrackets();
    if (Object.hasOwn(known, token)) return known[token](take('(') ? inBrackets() : power());
    return /^[\d.]+$/.test(token) ? Number(token) / (take('%') ? 100 : 1) : NaN;
  };
  const power = () => {
    if (take('-')) return -power();
    const base = take('+') ? power() : atom();
    return take('^') ? base ** power() : base;
  };
  const product = () => {
    let x = power();
    while (['*', '/'].includes(tokens[at])) x = take('*') ? x * power() : take('/') ? x / power() : NaN;
    return x;
  };
  const total = () => {
    let x = product();
    while (['+', '-'].includes(tokens[at])) x = take('+') ? x + product() : take('-') ? x - product() : NaN;
    return x;
  };
  const found = total();
  return at === tokens.length && Number.isFinite(found) ? found : NaN;
}

// The digits after the point of a plain decimal, also of a percentage; NaN of anything else.
function digitsOf(plain) {
  const [, after, percent] = /^[-+]?\d*(?:\.(\d*))?\s*(%)?$/.exec(plain) ?? [];
  return after === undefined && !percent ? NaN : (after ?? '').length + (percent ? 2 : 0);
}

// Is `y`, written with so many digits, the rounded or shortened `x`? Of arithmetic, three digits count.
function isRounded(x, y, digits) {
  const unit = 10 ** -(Number.isNaN(digits) ? 3 : digits), less = Math.abs(x) - Math.abs(y);
  return x * y >= 0 && less >= -unit / 2 - 1e-9 && less <= unit + 1e-9;
}

// What an answer means: {x, digits}, or {x: NaN, fault} if it means no number. It may be a decimal (0.69 or 0,69), a
// fraction (3/4, 3:4, ¾) or arithmetic such as (1 + 2/4) / log₂ 3; with a name, and more than one: AP = 5/6 = 0.833.
export function readAnswer(text) {
  const isName = part => /^\p{L}/u.test(part) && Number.isNaN(calculate(part, Math.log));
  const plain = plainly(text).replace(/^([^:=]*):/, (all, name) => isName(name) ? '' : `${name}/`).replaceAll(':', '/');
  const parts = plain.split('=').map(part => part.trim()), numbers = parts.slice(parts.findIndex(part => !isName(part)));
  const [values, others] = [Math.log, Math.log10].map(log => numbers.map(part => calculate(part, log))), digits = numbers.map(digitsOf);
  if (values.some(Number.isNaN) || isName(parts.at(-1))) return {x: NaN};
  if (values.some((x, j) => Math.abs(x - others[j]) > 1e-9)) return {x: NaN, fault: 'log'};
  const exact = digits.findIndex(Number.isNaN), best = exact < 0 ? digits.indexOf(Math.max(...digits)) : exact;
  const apart = values.findIndex((y, j) => !isRounded(values[best], y, digits[j]));
  return apart < 0 ? {x: values[best], digits: digits[best]} : {x: NaN, fault: 'sides', sides: [values[best], values[apart]]};
}

export const readNumber = text => readAnswer(text).x;

// What is to be said of an answer: {right}, and `slips`, `step` and `text` if it is wrong. `again` is true if it does not
// count, because it cannot be read or has too few digits. To a choice the answer is its place.
export function mark(task, answer) {
  const {x, digits, fault, sides} = readAnswer(answer), {tolerance} = task, off = y => Math.abs(x - y);
  if (Number.isNaN(x)) return {right: false, again: true, text: fault ? drillWords[fault](sides) : drillWords.unread};
  if (off(task.answer) <= tolerance + 1e-9) return {right: true, text: drillWords.right(answerText(task))};
  if (tolerance && digits === 2 && off(task.answer) <= 0.005 + 1e-9) return {right: false, again: true, text: drillWords.digits};
  const near = task.slips.filter(({value}) => off(value) <= tolerance + 1e-9), nearest = Math.min(...near.map(({value}) => off(value)));
  const slips = near.filter(({value}) => off(value) <= nearest + 1e-9), texts = [...new Set(slips.map(({text}) => text))].slice(0, 2);
  const step = slips[0]?.step ?? 'terms', bound = boundText(task, x);
  if (bound) return {right: false, slips: slips.map(({name}) => name), step, text: drillWords.beyond(bound, texts)};
  const text = texts.length ? drillWords[tolerance ? 'slip' : 'perhaps'](texts) : task.choices ? drillWords.otherChoice : drillWords.wrong;
  return {right: false, slips: slips.map(({name}) => name), step, text};
}

// What is to be said of a number that the measure cannot have: a share is between 0 and 1, and so its change between −1 and 1.
function boundText({kind, measure, answer}, x) {
  if (/^(CG|DCG|alpha)/.test(measure)) return null;
  const called = measureText(measure);
  if (kind === 'swap') return Math.abs(x) > 1 ? drillWords.bounds.change(called) : null;
  if (kind !== 'value' || x >= 0 && x <= 1) return null;
  if (x < 0) return drillWords.bounds.below(called);
  if (Math.abs(x / 100 - answer) <= 1e-3) return drillWords.bounds.percent(called);
  return /^nDCG/.test(measure) ? drillWords.bounds.ideal(called) : drillWords.bounds.above(called);
}

function answerText(task) {
  if (task.choices) return task.choices[task.answer];
  return task.tolerance ? decimals(task.answer).replace('-', '−') : `${task.answer}`;
}

// The steps to the answer: [{step: terms, whole, mean or value, text}].
export function demonstrate(task) {
  const {kind, queries, measure} = task, label = (name, text) => say`${name}: ${text}`;
  const last = query => lineOf(measure, query), end = {step: 'value', text: drillWords.answer(answerText(task))};
  if (kind === 'convention') {
    const shown = task.conventions.map(({text, value}) => ({step: 'terms', text: label(text, decimals(value))}));
    return [...shown, end];
  }
  if (kind === 'value' && queries.length === 1) return explained(measure, queries[0]);
  if (kind === 'value') {
    const lines = queries.map((query, j) => ({step: 'terms', text: label(drillWords.query(task, j), last(query))}));
    return [...lines, {step: 'mean', text: drillWords.combined(task, queries.map(query => valueOf(measure, query)))}];
  }
  if (kind === 'swap') {
    const [old, now] = [queries[0], variant(task)].map(query => valueOf(measure, query));
    const difference = `${decimals(now)} − ${decimals(old)} = ${decimals(now - old)}`.replaceAll('-', '−');
    return [{step: 'terms', text: say`Before: ${last(queries[0])}`}, {step: 'terms', text: say`After: ${last(variant(task))}`}, {step: 'value', text: difference}];
  }
  if (kind === 'better') return [...queries.map((query, j) => ({step: 'terms', text: label('AB'[j], last(query))})), end];
  const tried = domain(task), until = tried.slice(0, tried.indexOf(task.answer) + 1);
  return [...until.map(x => ({step: 'terms', text: label(drillWords.tried[kind](x), last(variant(task, x)))})), end];
}

function lineOf(measure, query) {
  if (!query.labels) return steps(measure, query.grades, judgmentsOf(query));
  return explained(measure, query).at(-1).text;
}

// The steps of one query: what is added, what it is divided by, and the value.
function explained(measure, query) {
  const one = observe({measure}, query), made = texts => texts.map(([step, text]) => ({step, text}));
  if (query.labels) return made(pairSteps(measure, one));
  const {found} = one, texts = termTexts(found, found.list, found.terms), added = found.list.documents.filter((_, j) => found.terms[j] !== 0);
  const adds = clauses(added.map((d, j) => say`rank ${d.i} adds ${texts[j]}`)) || say`no rank adds anything`;
  const whole = drillWords.whole[found.name]?.(one);
  return made([['terms', say`${adds[0].toUpperCase() + adds.slice(1)}.`], ...whole ? [['whole', whole]] : [], ['value', line(found)]]);
}

function pairSteps(measure, {won, tied, all, tp, fp, fn, tn}) {
  const [name] = scoredMeasure(measure), written = (top, below, x) => `${measure} = ${top} / ${below} = ${decimals(x)}`;
  if (name in RATES) {
    const [part, rest, good] = name === 'TPR' ? [tp, fn, say`positives`] : [fp, tn, say`negatives`];
    return [['terms', say`The first ${scoredMeasure(measure)[1]} hold ${part} of the ${good}.`], ['whole', say`There are ${part + rest} ${good}.`], ['value', written(part, `(${part} + ${rest})`, part / (part + rest))]];
  }
  if (!all) return [['value', say`One class only: no pair, no AUC.`]];
  const untied = say`${won} pairs are in the right order.`, withTies = say`${won} pairs are in the right order, ${tied} have equal scores and count one half.`;
  return [['terms', tied ? withTies : untied], ['whole', say`There are ${all} pairs of a positive and a negative.`],
    ['value', `AUC = ${tied ? `(${won} + ${tied}/2)` : won} / ${all} = ${decimals((won + tied / 2) / all)}`]];
}

// ---- what is said ----

const withCutoff = ({name, k}, called = name) => called + (k === null ? '' : `@${k}`);
const GAIN_TEXTS = {linear: say`gain g`, exp: say`gain 2^g − 1`, binary: say`gain 0 or 1`};

// A measure as a course writes it.
const NOVEL_TEXTS = {alpha_nDCG: 'alpha-nDCG', alpha_DCG: 'alpha-DCG', ERR_IA: 'ERR-IA'};

function measureText(measure) {
  if (/^(AUC|GAUC|TPR|FPR)/.test(measure)) return measure;
  const asked = complete(measure), {name, p} = asked, notes = [];
  if (p.gain && name in {CG, DCG, nDCG: 1}) notes.push(GAIN_TEXTS[p.gain]);
  if (p.discount) notes.push(p.discount === 'jarvelin' ? say`discount log₂ i from rank 2 on` : say`discount log₂(i + 1)`);
  if (p.max_grade) notes.push(say`grades 0 to ${p.max_grade}`);
  if (p.rel > 1) notes.push(say`relevant from grade ${p.rel} on`);
  if (p.p) notes.push(`p = ${p.p}`);
  if ('alpha' in p) notes.push(`α = ${p.alpha}`);
  if (p.divisor === 'none') notes.push(say`without a divisor`);
  if (name === 'AP' && p.divisor !== 'relevant') notes.push(say`divided by min(R, k)`);
  const called = withCutoff({name, k: p.k}, name === 'F' ? `F${p.beta}` : NOVEL_TEXTS[name] ?? name);
  return notes.length ? called + remark(clauses(notes)) : called;
}

const MEANS = {AP: 'MAP', RR: 'MRR'};

// All that is said in a drill, but for the names of the slips.
export const drillWords = {
  section: say`Drill`,
  level: say`Level`,
  streak: (now, best) => best > now ? say`Streak ${now} (best ${best})` : say`Streak ${now}`,
  task: (number, seed) => say`Task ${number}, seed ${seed}`,
  yours: say`Your answer`,
  choose: say`Choose one`,
  hint: say`A decimal with three digits, a fraction, or arithmetic: 0.692, 83/120, (1 + 2/4)/log₂3.`,
  whole: {
    P: one => say`Divided by k = ${one.depth}.`, R: one => sentences(say`Divided by R.`, isR(one)),
    F: one => say`Precision is ${one.inTop.length}/${one.depth}, recall ${one.inTop.length}/${one.R}. Divided by β²·R + k = ${decimalsShort(one.whole)}.`,
    AP: one => sentences(say`Divided by ${decimalsShort(one.whole)}.`, isR(one)),
    alpha_nDCG: one => say`The ideal order adds ${termTexts(one.found, one.found.ideal, one.found.idealTerms).join(' + ')} = ${decimals(one.whole)}.`,
    StRecall: one => subtopicsText(one), ERR_IA: one => say`Divided by the sum of k documents that serve every subtopic, ${decimals(one.whole)}.`,
    nDCG: one => say`The ideal order is ${listed(downwards(one.ideal).slice(0, one.depth))}: ${termTexts(one.found, one.found.ideal, one.found.idealTerms).join(' + ')} = ${decimals(one.whole)}.`,
  },
  check: say`Check`,
  next: say`Next task`,
  show: say`Show me how`,
  fresh: say`New seed`,
  link: say`Link to this task`,
  queries: {
    value: ({queries: {length: many}, measure, combine}) => {
      if (many === 1) return say`What is ${measureText(measure)}?`;
      if (measure === 'GAUC') return combine === 'groups' ? say`What is GAUC, the plain mean over users?` : say`What is GAUC, weighted by impressions?`;
      const {name, k} = parse(measure);
      if (name in MEANS) return say`What is ${withCutoff({k}, MEANS[name])} over these ${many} queries?`;
      return say`What is the mean of ${measureText(measure)} over these ${many} queries?`;
    },
    better: task => say`Which list has the higher ${measureText(task.measure)}?`,
    swap: ({queries, at: [a, b], measure}) => sentences(
      queries[0].labels ? say`The labels at ranks ${a} and ${b} change places.` : say`Ranks ${a} and ${b} change places.`,
      say`By how much does ${measureText(measure)} change? A fall is negative.`),
    grade: task => say`Which is the smallest grade at rank ${task.at}, in the place of the ?, with which ${measureText(task.measure)} is at least ${task.aim}? It counts in the judgments too.`,
    rank: task => say`The last relevant result, now at rank ${task.at}, moves up; the others keep their order. Which is the largest rank at which ${measureText(task.measure)} is at least ${task.aim}?`,
    total: task => say`Which is the largest number R of relevant documents, found or not, with which ${measureText(task.measure)} of this list is at least ${task.aim}?`,
    hits: task => say`R = ${good(task.queries[0].ideal)} documents are relevant. How many of them, at least, must be among the first ${task.k}, so that ${measureText(task.measure)} is at least ${task.aim}?`,
    convention: ({given, measure, k}) => sentences(
      measure.includes('@') ? say`A report says ${decimals(given)} for k = ${k}.` : say`A report says ${decimals(given)}.`, say`Which convention gives this number?`),
  },
  tried: {grade: g => say`Grade ${g}`, rank: rank => say`Rank ${rank}`, total: total => `R = ${total}`, hits: hitsText},
  query: ({queries}, j) => queries[0].labels ? say`User ${j + 1}` : say`Query ${j + 1}`,
  combined: (task, values) => {
    const {combine, queries} = task, used = values.map((x, j) => [x, j]).filter(([x]) => !Number.isNaN(x));
    const weight = j => combine === 'impressions' ? queries[j].labels.length : 1, sum = used.reduce((total, [, j]) => total + weight(j), 0);
    const terms = used.map(([x, j]) => weight(j) === 1 ? decimals(x) : `${weight(j)}·${decimals(x)}`);
    return `(${terms.join(' + ')}) / ${sum} = ${answerText(task)}`;
  },
  subtopic: s => say`subtopic ${'XYZ'[s]}`,
  rank: say`rank`, grade: say`grade`, item: say`item`, score: say`score`, label: say`label`,
  missed: (grades, scale) => {
    const many = grades.length;
    if (scale === 1) return many === 1 ? say`Relevant, but not retrieved: ${many} document.` : say`Relevant, but not retrieved: ${many} documents.`;
    return many === 1 ? say`Judged, but not retrieved: grade ${grades[0]}.` : say`Judged, but not retrieved: grades ${listed(grades)}.`;
  },
  none: say`Nothing relevant was missed.`,
  unjudged: say`– was not judged.`,
  right: answer => say`Yes: ${answer}.`,
  answer: answer => say`The answer: ${answer}.`,
  wrong: say`Not yet. Here is how it begins.`,
  otherChoice: say`Not yet.`,
  slip: texts => sentences(say`Not yet.`, joined(texts, (a, b) => say`${a} Or: ${b}`)),
  perhaps: texts => sentences(say`Not yet.`, say`One way to get there: ${texts[0]}`),
  unread: say`That is no number. Write a decimal (0.75), a fraction (3/4) or arithmetic (1/log2(3)).`,
  log: () => say`Which logarithm? Write log2(3), ln(3) or lg(3).`,
  sides: ([x, y]) => say`The two sides of = differ: ${decimalsShort(x)} and ${decimalsShort(y)}. Which one is your answer?`,
  bounds: {
    ideal: measure => say`${measure} is at most 1: no order has a larger sum than the ideal order.`,
    above: measure => say`${measure} is at most 1.`,
    below: measure => say`${measure} is never below 0.`,
    percent: measure => say`${measure} is at most 1: write 75 percent as 0.75 or 75%.`,
    change: measure => say`${measure} is between 0 and 1, so it cannot change by more than 1.`,
  },
  beyond: (bound, texts) => sentences(say`Not yet.`, bound, texts.length && joined(texts, (a, b) => say`${a} Or: ${b}`)),
  digits: say`Nearly: give three digits after the point.`,
  raise: level => say`Five in a row. Level ${level} is next.`,
};

// ---- a drill on a page ----

export function mountDrill(element, options = {}) {
  return new Drill(element, {...element.dataset, ...options});
}

const inAddress = () => Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
const someSeed = () => Math.floor(1 + Math.random() * 9999);
const natural = (text, most) => /^\d{1,9}$/.test(text) && text >= 1 && text <= most ? Number(text) : null;

class Drill {
  constructor(element, {topic, level = 1}) {
    this.topic = topic;
    this.standard = Number(level);
    this.streak = this.best = 0;
    this.build(element);
    this.read();
    addEventListener('hashchange', () => this.read());
  }

  // The task that the address names.
  read() {
    const {seed, level, task} = inAddress();
    if (seed === `${this.seed}` && level === `${this.level}` && task === `${this.number}`) return;
    this.go({seed: natural(seed, 1e9) ?? this.seed ?? someSeed(), level: natural(level, 3) ?? this.level ?? this.standard, number: natural(task, 1e9) ?? 1}, false);
  }

  go({seed = this.seed, level = this.level, number = 1}, focus = true) {
    Object.assign(this, {seed, level, number, tries: 0, done: false, risen: false, task: deal(this.topic, level, seed, number)});
    history.replaceState(null, '', `#seed=${seed}&level=${level}&task=${number}`);
    this.draw();
    if (focus) (this.task.choices ? this.parts.choices : this.parts.input).focus();
  }

  build(element) {
    const button = (text, click) => html('button', {type: 'button', click}, text);
    const submit = event => { event.preventDefault(); this.answer(this.parts.input.value); };
    const parts = this.parts = {
      levels: times(3, j => button(`${j + 1}`, () => this.go({level: j + 1}))), streak: html('span'), place: html('span'),
      question: html('p', {class: 'question', id: 'drill-question'}), lists: html('div', {class: 'lists'}),
      input: html('input', {type: 'text', autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false', 'aria-describedby': 'drill-question drill-hint'}),
      choices: html('div', {class: 'choices', role: 'group', tabindex: -1, 'aria-label': drillWords.choose, 'aria-describedby': 'drill-question'}), verdict: html('p', {role: 'status'}), steps: html('ol', {class: 'way'}),
      next: button(drillWords.next, () => this.go(this.risen ? {level: this.level + 1} : {number: this.number + 1})), show: button(drillWords.show, () => this.show()), link: html('a', {}, drillWords.link),
    };
    parts.form = html('form', {submit}, html('label', {}, drillWords.yours, parts.input), html('button', {type: 'submit'}, drillWords.check), html('p', {class: 'hint', id: 'drill-hint'}, drillWords.hint));
    element.replaceChildren(html('section', {'aria-label': drillWords.section}, html('style', {}, STYLE + DRILL_STYLE),
      html('div', {class: 'bar-of-drill'}, html('div', {class: 'levels', role: 'group', 'aria-label': drillWords.level}, html('span', {'aria-hidden': true}, drillWords.level), parts.levels), parts.streak, parts.place),
      parts.question, parts.lists, parts.form, parts.choices, html('div', {class: 'said'}, parts.verdict), parts.steps,
      html('p', {class: 'starts'}, parts.next, parts.show, button(drillWords.fresh, () => this.go({seed: someSeed()})), parts.link)));
    element.classList.add('play');
  }

  answer(given) {
    if (this.done) return;
    const found = mark(this.task, given), {parts} = this;
    parts.verdict.textContent = found.text;
    parts.verdict.className = found.right ? 'right' : 'wrong';
    if (found.again) return;
    if (found.right) {
      this.streak += this.tries === 0 ? 1 : 0;
      this.best = Math.max(this.best, this.streak);
      this.risen = this.streak > 0 && this.streak % 5 === 0 && !this.tries && this.level < 3;
      if (this.risen) parts.verdict.textContent = sentences(found.text, drillWords.raise(this.level + 1));
      this.finish();
    } else {
      this.streak = 0;
      this.tries++;
      const way = demonstrate(this.task), there = way.filter(({step, text}) => step === found.step && !text.includes(answerText(this.task)));
      this.lay(this.task.kind === 'value' ? there.slice(0, 4) : this.task.choices ? [] : way.slice(0, 1));
    }
    this.drawHead();
  }

  show() {
    if (!this.done && !this.tries) this.streak = 0;
    this.tries++;
    this.parts.verdict.textContent = drillWords.answer(answerText(this.task));
    this.parts.verdict.className = '';
    this.finish();
    this.drawHead();
  }

  finish() {
    this.done = true;
    this.lay(demonstrate(this.task));
    this.parts.next.focus();
  }

  lay(way) { this.parts.steps.replaceChildren(...way.map(({text}) => html('li', {}, html('code', {}, text)))); }

  drawHead() {
    const {parts} = this;
    parts.levels.forEach((button, j) => {
      button.setAttribute('aria-pressed', j + 1 === this.level);
      button.setAttribute('aria-label', say`Level ${j + 1}`);
    });
    parts.streak.textContent = drillWords.streak(this.streak, this.best);
    parts.place.textContent = drillWords.task(this.number, this.seed);
    parts.link.href = `#seed=${this.seed}&level=${this.level}&task=${this.number}`;
  }

  draw() {
    const {parts, task} = this;
    this.drawHead();
    parts.question.textContent = drillWords.queries[task.kind](task);
    parts.lists.replaceChildren(...task.kind === 'hits' ? [] : task.queries.map((query, j) => this.drawQuery(query, j)));
    parts.form.hidden = Boolean(task.choices);
    parts.choices.replaceChildren(...(task.choices ?? []).map((text, j) => html('button', {type: 'button', click: () => this.answer(`${j}`)}, text)));
    parts.input.value = parts.verdict.textContent = '';
    parts.steps.replaceChildren();
  }

  drawQuery(query, j) {
    const {task} = this, many = task.queries.length > 1, name = task.kind === 'better' ? listName(j) : many ? drillWords.query(task, j) : null;
    const told = !query.labels && task.kind !== 'total';
    const missed = told && (query.missed.length ? drillWords.missed(query.missed, task.scale) : drillWords.none);
    const note = told && html('p', {class: 'missed'}, sentences(missed, query.grades?.includes(null) && drillWords.unjudged));
    return html('div', {}, name && html('h4', {}, name), html('table', {class: 'ranking'}, this.rowsOf(query).map(([head, cells], row) =>
      html('tr', {}, html('th', {scope: 'row'}, head), cells.map(cell => html(row ? 'td' : 'th', row ? {} : {scope: 'col'}, `${cell}`))))), note);
  }

  rowsOf({labels, scores, grades, subtopics}) {
    const {kind, at} = this.task;
    if (subtopics) return [[drillWords.rank, grades.map((_, j) => j + 1)], ...times(subtopics, s => [drillWords.subtopic(s), grades.map(g => g >> s & 1 ? '✓' : '')])];
    if (!labels) return [[drillWords.rank, grades.map((_, j) => j + 1)], [drillWords.grade, grades.map((g, j) => kind === 'grade' && j + 1 === at ? '?' : gradeText(g))]];
    return [[this.task.kind === 'swap' || /@/.test(this.task.measure) ? drillWords.rank : drillWords.item, labels.map((_, j) => j + 1)], [drillWords.score, scores], [drillWords.label, labels]];
  }
}

const DRILL_STYLE = `
.drill {
  .bar-of-drill { display: flex; flex-wrap: wrap; align-items: center; gap: .4rem 1.4rem; color: var(--soft); font-size: .9em; }
  .levels { display: flex; align-items: center; gap: .35rem; }
  .levels span { margin-right: .2em; }
  .levels button { color: light-dark(#1d2329, #d5dae0); }
  .question { margin-top: .8rem; font-weight: 600; }
  .hint, .missed { color: var(--soft); font-size: .85em; }
  .lists { display: flex; flex-wrap: wrap; gap: .4rem 2.4rem; margin-block: .7rem; }
  .lists > div { max-width: 100%; overflow-x: auto; }
  h4 { margin: .3rem 0 0; font-size: .9em; font-weight: 600; }
  .ranking :is(th, td) { min-width: 2.1em; padding: .2rem .45rem; text-align: center; }
  .ranking :is(th, td):last-child { min-width: 2.1em; padding-right: .45rem; }
  .ranking th { color: var(--soft); }
  .ranking th:first-child { padding-left: 0; text-align: left; }
  .ranking td { font-weight: 600; }
  form { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem .8rem; }
  form[hidden] { display: none; }
  form .hint { flex-basis: 100%; }
  form label { color: inherit; }
  form input {
    flex: 1; width: 14rem; min-width: 0; max-width: 24rem; height: 40px; padding: 0 .6em; color: inherit; background: var(--ground);
    border: 1px solid var(--edge); border-radius: 4px; font: inherit;
  }
  button { min-width: 40px; min-height: 40px; }
  .choices { display: flex; flex-wrap: wrap; gap: .5rem; }
  .choices:focus { outline: none; }
  .choices:empty { display: none; }
  .said .wrong { color: light-dark(#9a3412, #f0a878); font-weight: 600; }
  .said p:first-child:is(.right, .wrong) { color: var(--good); }
  .said p:first-child.wrong { color: light-dark(#9a3412, #f0a878); }
  .way { margin: 0 0 .8rem; padding: 0; border: 0; }
  .way li { display: block; padding: .3rem 0; }
  .way code { padding: 0; color: inherit; background: none; font-size: .85em; white-space: normal; overflow-wrap: anywhere; }
  .starts { display: flex; flex-wrap: wrap; align-items: center; gap: .4rem .5rem; }
  .starts a { display: inline-flex; align-items: center; min-height: 40px; margin-left: .3rem; }
}

@container (max-width: 38rem) {
  .drill form label { flex-basis: 100%; }
  .drill form input { max-width: none; }
}
`;

if (onPage) for (const element of document.querySelectorAll('.drill:not(:has(> section))')) mountDrill(element);

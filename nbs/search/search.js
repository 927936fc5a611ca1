// The search of the site. It stands in the place of Fuse.js: Quarto's script makes a `Fuse`, adds the entries of search.json and
// calls `search`. A Latin word matches from its beginning, Chinese anywhere, and a page is found once.
//
// An entry is a part of a page: href, title, section, text. It may have `keys`, words that lead to it and are not shown, and a
// `weight`, by which its score is multiplied.
//
// A query is divided into terms: Latin words, and the words of keys, titles and headings that a run of Chinese contains. A term
// that few pages have counts more, and a page with some of the terms is found after pages with all of them.
(() => {
  const HAN = "\\u3007\\u3400-\\u9fff\\uf900-\\ufaff";
  const LATIN = "a-z0-9\\u00c0-\\u024f";
  const TOKEN = new RegExp(`[${HAN}]+|[^\\s${HAN},;:!?()"'“”‘’=/，。、；：？！（）]+`, "gu");
  const RUN = new RegExp(`[${HAN}]+`, "gu");
  const CHINESE = new RegExp(`[${HAN}]`, "u");
  const STOP = new Set(("a am an and any are as at be but by can could did do does for from get had has have how i if in into is it its me " +
    "my myself of on one or s should so some than that the their them then there these they this to use using want was we what when where " +
    "which who why will with you your").split(" "));
  // Words of Chinese questions that say nothing about what is asked for.
  const ASKING = new Set(("怎么办 怎么样 怎么 怎样 如何 什么是 是什么意思 是什么 什么意思 什么 为什么 哪一个 哪个 哪些 可以 一个 有什么 " +
    "吗 呢 的 了 是 和 与 该 我 用").split(" "));
  const RARE = 2;
  const SHOWN = 170; // letters of a text beside a result
  const LONGEST = 8; // signs of a Chinese word
  // Points of a term in a field: where it is a word, where a word begins with it, where a word begins with its stem.
  const POINTS = { keys: [14, 8, 6], title: [20, 12, 9], section: [8, 5, 4], text: [2, 1, 0.8] };
  const LANGUAGE = 1.5; // times the points of a page in the language of the query

  const plain = text => (text ?? "").normalize("NFKC").toLowerCase();
  const escaped = text => text.replace(/[&<>"]/g, c => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
  const sum = numbers => numbers.reduce((a, b) => a + b, 0);

  // The words of a query that count: without filling words, and without numbers beside a name, as in "nDCG(gain='exp')@10".
  function words(query) {
    const all = plain(query).replace(/\([^)]*\)/g, " ").replace(/[@_](?:cut_)?\d+(?=\s|$)/g, "").match(TOKEN) ?? [];
    const kept = all.filter(word => !STOP.has(word));
    return kept.length ? kept : all;
  }

  // The words of Chinese that is in no title: as the browser divides it, or each two neighbouring signs.
  function unknownWords(text) {
    if (globalThis.Intl?.Segmenter) return [...new Intl.Segmenter("zh", { granularity: "word" }).segment(text)].map(({ segment }) => segment);
    return Array.from({ length: Math.max(text.length - 1, 0) }, (_, i) => text.slice(i, i + 2));
  }

  // The words in a run of Chinese, the longest known ones first.
  function chineseWords(run, known) {
    const found = [];
    let unknown = "";
    const close = () => {
      found.push(...unknownWords(unknown).filter(word => word.length > 1 && !ASKING.has(word)));
      unknown = "";
    };
    for (let i = 0; i < run.length;) {
      let length = Math.min(LONGEST, run.length - i);
      while (length && !ASKING.has(run.slice(i, i + length)) && !(length > 1 && known.has(run.slice(i, i + length)))) length--;
      if (length) close();
      else unknown += run[i];
      const word = run.slice(i, i + length);
      if (word && !ASKING.has(word)) found.push(word);
      i += length || 1;
    }
    close();
    return found;
  }

  // A word without the endings of English, so that `evaluated` finds `evaluation`.
  const stem = word => word.match(/^([a-z]{4,}?)(?:ations?|ings?|ers?|ied|ies|ed|es|e|s|y)$/)?.[1] ?? word;

  // How a word is looked for: `whole` finds it as a word, `begin` at the beginning of one; a text without `part` has neither.
  function finder(word) {
    const safe = text => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    if (CHINESE.test(word[0])) return { part: word, whole: new RegExp(safe(word), "gu"), begin: new RegExp(safe(word), "gu") };
    const begin = `(?<![${LATIN}])${safe(word)}`;
    const whole = new RegExp(`${begin}(?![${LATIN}])`, "gu");
    const part = stem(word);
    const like = new RegExp(`(?<![${LATIN}])${safe(part)}`, "gu");
    return { part, whole, begin: word.length > 1 ? new RegExp(begin, "gu") : whole, like: part === word ? undefined : like };
  }

  // Points of a term in one field.
  function points(text, find, [whole, begin, like]) {
    if (!text.includes(find.part)) return 0;
    const exact = text.match(find.whole);
    if (exact) return whole * (1 + Math.min(exact.length, 10) / 20);
    if (text.search(find.begin) >= 0) return begin;
    return find.like && text.search(find.like) >= 0 ? like : 0;
  }

  function readEntry(entry) {
    const keys = (entry.keys ?? []).map(plain);
    return { entry, keys, fields: { keys: keys.join("\n"), title: plain(entry.title), section: plain(entry.section), text: plain(entry.text) } };
  }

  // The points of one entry for each term.
  const entryPoints = ({ fields }, finds) =>
    finds.map(find => Math.max(...Object.keys(POINTS).map(name => points(fields[name], find, POINTS[name]))));

  // Is a key of several words, or of Chinese, a part of the query?
  const contains = (query, key) => CHINESE.test(key) ? key.length > 1 && query.includes(key) : key.includes(" ") && ` ${query} `.includes(` ${key} `);

  // Points if the query as a whole is a key, a title or a heading, or the beginning of a key, or if it contains a key.
  function wholePoints({ keys, fields }, queries) {
    const same = text => queries.includes(text);
    const begun = keys.some(key => queries.some(query => query.length > 1 && key.startsWith(query)));
    const within = keys.some(key => queries.some(query => contains(query, key)));
    return (keys.some(same) ? 200 : begun || within ? 30 : 0) + (same(fields.title) ? 150 : 0) + (same(fields.section) ? 40 : 0);
  }

  // Letters to change, to add, to leave out or to swap with their neighbour until a is b; more than `most` counts as most + 1.
  function distance(a, b, most) {
    if (Math.abs(a.length - b.length) > most) return most + 1;
    let before = [], last = Array.from({ length: b.length + 1 }, (_, j) => j);
    for (let i = 1; i <= a.length; i++) {
      const row = [i];
      for (let j = 1; j <= b.length; j++) {
        row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] !== b[j - 1]));
        if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) row[j] = Math.min(row[j], before[j - 2] + 1);
      }
      [before, last] = [last, row];
    }
    return last[b.length];
  }

  // Part of a text around the first word that was found, with the words marked.
  function excerpt(text, finds) {
    const flat = text.normalize("NFC"); // full-width signs stay as they are written
    const lower = flat.toLowerCase();
    const looks = finds.map(find => [find.whole, find.begin, find.like ?? find.begin].find(look => lower.search(look) >= 0) ?? find.begin);
    const first = Math.min(...looks.map(look => lower.search(look)).filter(at => at >= 0), flat.length);
    let start = first < flat.length && first > 60 && flat.length > SHOWN ? flat.lastIndexOf(" ", first - 40) + 1 : 0;
    if (start && first - start > 90) start = Math.max(first - 40, 0);
    const cut = flat.slice(start, start + SHOWN);
    const marks = [];
    for (const look of looks) for (const found of cut.toLowerCase().matchAll(look)) marks.push([found.index, found.index + found[0].length]);
    let made = start ? "…" : "", end = 0;
    for (const [from, to] of marks.sort((a, b) => a[0] - b[0])) {
      if (from < end) continue;
      made += `${escaped(cut.slice(end, from))}<mark class="search-match">${escaped(cut.slice(from, to))}</mark>`;
      end = to;
    }
    return made + escaped(cut.slice(end)) + (start + SHOWN < flat.length ? "…" : "");
  }

  const pages = new Map(); // address of a page: its entries
  let latin, chinese; // the words of keys, titles and headings: Latin ones to correct a misspelling, Chinese ones to divide a run

  class Search {
    add(entry) {
      if (entry.found) return; // Quarto's script keeps results of a slow search as a smaller index: all entries are searched each time
      const page = entry.href.split("#")[0];
      if (!pages.has(page)) pages.set(page, []);
      pages.get(page).push(readEntry(entry));
      latin = chinese = undefined;
    }

    // Collect the words of keys, titles and headings.
    readWords() {
      const named = [...pages.values()].flat().flatMap(({ fields }) => [fields.keys, fields.title, fields.section]);
      latin = new Set(named.flatMap(text => text.match(/[a-z]{3,}/g) ?? []));
      const runs = named.flatMap(text => text.match(RUN) ?? []);
      chinese = new Set([...runs, ...runs.flatMap(run => run.split(/[的和与]/u))]);
    }

    // The key, or word of a title or heading, that is nearest to a word that none of these has and hardly a text; else the word.
    corrected(word) {
      if (word.length < 4 || CHINESE.test(word) || /\d/.test(word)) return word;
      const find = finder(word);
      const has = text => points(text, find, [1, 1, 1]) > 0;
      let rare = 0; // pages whose text alone has the word: some show a slip of the pen
      for (const reads of pages.values()) {
        if (reads.some(({ fields }) => has(fields.title) || has(fields.section) || has(fields.keys))) return word;
        rare += reads.some(({ fields }) => has(fields.text));
      }
      if (rare > RARE) return word;
      const most = word.length > 5 && !rare ? 2 : 1;
      let best = word, least = most + 1;
      for (const known of latin) {
        const far = distance(word, known, most) + (known[0] === word[0] ? 0 : 0.5);
        if (far < least) [best, least] = [known, far];
      }
      return best;
    }

    // The terms of a query: Latin words as they should be spelt, and Chinese words.
    terms(query) {
      if (!latin) this.readWords();
      const asked = words(query);
      const long = word => CHINESE.test(word) && word.length > 1;
      const found = asked.filter(word => !ASKING.has(word)).flatMap(word => long(word) ? chineseWords(word, chinese) : [this.corrected(word)]);
      return found.length ? [...new Set(found)] : asked;
    }

    search(query, options = {}) {
      const terms = this.terms(query);
      if (!terms.length) return [];
      const queries = [...new Set([plain(query).trim(), terms.join(" "), words(query).join(" ")])];
      const finds = terms.map(finder);
      const tables = [...pages].map(([page, reads]) => {
        const table = reads.map(read => entryPoints(read, finds));
        return { page, reads, table, best: finds.map((_, i) => Math.max(...table.map(row => row[i]))) };
      });
      const counts = finds.map((_, i) => tables.filter(({ best }) => best[i]).length);
      const rarity = counts.map(count => count ? 1 + Math.log(1 + pages.size / count) : 0);
      const weighed = row => row.map((value, i) => value * rarity[i]);
      const found = [];
      for (const { page, reads, table, best } of tables) {
        if (!best.some(Boolean)) continue;
        const wholes = reads.map(read => wholePoints(read, queries));
        const own = table.map(row => sum(weighed(row)));
        const order = reads.map((read, i) => wholes[i] + own[i] + (read.entry.href.includes("#") ? 0 : 0.5));
        const at = order.indexOf(Math.max(...order));
        const { entry } = reads[at];
        const together = (sum(weighed(best)) + own[at]) / 2; // terms in one part of a page count twice
        const share = best.filter(Boolean).length / counts.filter(Boolean).length;
        const spoken = CHINESE.test(query) === page.startsWith("zh/") ? LANGUAGE : 1;
        found.push({ total: (Math.max(...wholes) + together) * share * (entry.weight ?? 1) * spoken, entry });
      }
      return found.sort((a, b) => b.total - a.total).slice(0, options.limit ?? 50)
        .map(({ entry, total }) => ({ score: total, item: { ...entry, found: true, text: excerpt(entry.text ?? "", finds) } }));
    }
  }

  if (typeof module === "object") module.exports = Search;
  else window.Fuse = Search;
})();

// The search of the site. It stands in the place of Fuse.js: Quarto's script makes a `Fuse`, adds the entries of search.json and
// calls `search`. A Latin word matches from its beginning, Chinese anywhere, and a page is found once.
//
// An entry is a part of a page: href, title, section, text. It may have `keys`, words that lead to it and are not shown, and a
// `weight`, by which its score is multiplied.
(() => {
  const HAN = "\\u3007\\u3400-\\u9fff\\uf900-\\ufaff";
  const LATIN = "a-z0-9\\u00c0-\\u024f";
  const TOKEN = new RegExp(`[${HAN}]+|[^\\s${HAN},;:!?()"'“”‘’=/，。、；：？！（）]+`, "gu");
  const STOP = new Set(("a an and are as at be by can do does for from how i if in is it me my of on or should that the this to use " +
    "using want what when where which why with you your").split(" "));
  const RARE = 2;
  const SHOWN = 170; // letters of a text beside a result

  const plain = text => (text ?? "").normalize("NFKC").toLowerCase();
  const escaped = text => text.replace(/[&<>"]/g, c => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

  // The words of a query that count: without filling words, and without numbers beside a name, as in "nDCG(gain='exp')@10".
  function words(query) {
    const all = plain(query).replace(/\([^)]*\)/g, " ").replace(/[@_](?:cut_)?\d+(?=\s|$)/g, "").match(TOKEN) ?? [];
    const kept = all.filter(word => !STOP.has(word));
    return kept.length ? kept : all;
  }

  // How a word is looked for: `whole` finds it as a word, `begin` at the beginning of one.
  function finder(word) {
    const safe = word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    if (new RegExp(`^[${HAN}]`, "u").test(word)) return { whole: new RegExp(safe, "gu"), begin: new RegExp(safe, "gu") };
    const begin = `(?<![${LATIN}])${safe}`;
    const whole = new RegExp(`${begin}(?![${LATIN}])`, "gu");
    return { whole, begin: word.length > 1 ? new RegExp(begin, "gu") : whole };
  }

  // Points of a word in one field: the first where it stands as a word, the second where a word begins with it.
  function points(text, find, whole, begin) {
    const exact = text.match(find.whole);
    if (exact) return whole * (1 + Math.min(exact.length, 10) / 20);
    return text.search(find.begin) < 0 ? 0 : begin;
  }

  function readEntry(entry) {
    return { entry, title: plain(entry.title), section: plain(entry.section), text: plain(entry.text), keys: (entry.keys ?? []).map(plain) };
  }

  // The points of one entry for each word of the query.
  function entryPoints(read, finds) {
    return finds.map(find => Math.max(
      points(read.keys.join("\n"), find, 14, 8), points(read.title, find, 20, 12), points(read.section, find, 8, 5),
      points(read.text, find, 2, 1)));
  }

  // Points if the query as a whole is a key, a title or a heading, or the beginning of a key.
  function wholePoints(read, queries) {
    const same = text => queries.includes(text);
    const begun = read.keys.some(key => queries.some(query => query.length > 1 && key.startsWith(query)));
    return (read.keys.some(same) ? 200 : begun ? 30 : 0) + (same(read.title) ? 150 : 0) + (same(read.section) ? 40 : 0);
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
    const looks = finds.map(find => lower.search(find.whole) < 0 ? find.begin : find.whole);
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
  let vocabulary; // the words of keys, titles and headings, to correct a misspelling

  class Search {
    add(entry) {
      if (entry.found) return; // Quarto's script keeps results of a slow search as a smaller index: all entries are searched each time
      const page = entry.href.split("#")[0];
      if (!pages.has(page)) pages.set(page, []);
      pages.get(page).push(readEntry(entry));
      vocabulary = undefined;
    }

    // The key, or word of a title or heading, that is nearest to a word that none of these has and hardly a text; else the word.
    corrected(word) {
      if (word.length < 4 || new RegExp(`[${HAN}\\d]`, "u").test(word)) return word;
      const { begin } = finder(word);
      const has = text => text.search(begin) >= 0;
      let rare = 0; // pages whose text alone has the word: some show a slip of the pen
      for (const reads of pages.values()) {
        if (reads.some(read => has(read.title) || has(read.section) || read.keys.some(has))) return word;
        rare += reads.some(read => has(read.text));
      }
      if (rare > RARE) return word;
      vocabulary ??= new Set([...pages.values()].flat().flatMap(read => [read.title, read.section, ...read.keys].flatMap(text => text.match(/[a-z]{3,}/g) ?? [])));
      const most = word.length > 5 && !rare ? 2 : 1;
      let best = word, least = most + 1;
      for (const known of vocabulary) {
        const far = distance(word, known, most) + (known[0] === word[0] ? 0 : 0.5);
        if (far < least) [best, least] = [known, far];
      }
      return best;
    }

    search(query, options = {}) {
      const asked = words(query).map(word => this.corrected(word));
      if (!asked.length) return [];
      const finds = asked.map(finder);
      const queries = [...new Set([plain(query).trim(), asked.join(" "), words(query).join(" ")])];
      const found = [];
      for (const reads of pages.values()) {
        const table = reads.map(read => entryPoints(read, finds));
        const wholes = reads.map(read => wholePoints(read, queries));
        const best = finds.map((_, i) => Math.max(...table.map(row => row[i])));
        const matched = best.filter(Boolean).length;
        if (!matched) continue;
        const own = reads.map((read, i) => wholes[i] + table[i].reduce((a, b) => a + b, 0) + (read.entry.href.includes("#") ? 0 : 0.5));
        const read = reads[own.indexOf(Math.max(...own))];
        const total = (Math.max(...wholes) + best.reduce((a, b) => a + b, 0)) * (read.entry.weight ?? 1);
        found.push({ total, matched, entry: read.entry });
      }
      const most = Math.max(...found.map(each => each.matched));
      return found.filter(each => each.matched === most).sort((a, b) => b.total - a.total).slice(0, options.limit ?? 50)
        .map(({ entry, total }) => ({ score: total, item: { ...entry, found: true, text: excerpt(entry.text ?? "", finds) } }));
    }
  }

  if (typeof module === "object") module.exports = Search;
  else window.Fuse = Search;
})();

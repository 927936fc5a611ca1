(() => {
  'use strict';
  // Printing opens everything.
  let closed = [];
  addEventListener('beforeprint', () => {
    closed.push(...document.querySelectorAll('details:not([open])'));
    closed.forEach(one => { one.open = true; });
  });
  addEventListener('afterprint', () => {
    closed.forEach(one => { one.open = false; });
    closed = [];
  });
  // A link to a query opens it.
  const follow = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target && target.tagName === 'DETAILS') target.open = true;
  };
  addEventListener('hashchange', follow);
  follow();

  const box = document.getElementById('queries');
  if (!box) return;
  const data = JSON.parse(document.getElementById('query-values').textContent);
  const part = name => box.querySelector(`[data-part="${name}"]`);
  const head = part('head'), body = part('body'), count = part('count'), more = part('more');
  const controls = ['find', 'measure', 'a', 'b', 'which'].map(part);
  const [find, measure, a, b, which] = controls;
  const PAGE = 50, MANY = 6, ALIKE = 5e-5;
  const two = data.systems.length > 1;
  const narrow = matchMedia('(max-width: 620px)');
  let sorted = two ? 'change' : 0, up = !two, rows = PAGE;

  const make = (tag, text, name) => {
    const e = document.createElement(tag);
    if (text !== undefined) e.textContent = text;
    if (name) e.className = name;
    return e;
  };
  const digits = data.digits ?? 4;
  const shown = x => x === null ? '–' : x.toFixed(digits);
  const signed = x => x === null ? '–' : (x > 0 ? '+' : '') + x.toFixed(digits).replace('-', '−');
  const value = (system, query) => data.values[system][+measure.value][query];
  const change = query => {
    const x = value(+b.value, query), y = value(+a.value, query);
    return x === null || y === null ? null : x - y;
  };
  const key = query => sorted === 'id' ? data.ids[query] : sorted === 'text' ? data.texts[query]
    : sorted === 'group' ? data.groups[query] : sorted === 'change' ? change(query) : value(sorted, query);
  const compare = (x, y) => {
    if (x === null || y === null) return (x === null) - (y === null);
    const order = typeof x === 'string' ? x.localeCompare(y, undefined, {numeric: true}) : x - y;
    return up ? order : -order;
  };
  const columns = () => {
    const systems = data.systems.map((name, i) => [i, name]);
    const few = two && narrow.matches ? [] : systems.length <= MANY ? systems
      : systems.filter(([i]) => i === +a.value || i === +b.value);
    const texts = data.texts.some(Boolean) ? [['text', 'query text']] : [];
    const groups = data.groups ? [['group', 'slice']] : [];
    return [['id', 'query'], ...texts, ...groups, ...few, ...(two ? [['change', 'difference']] : [])];
  };
  const wanted = query => {
    const words = find.value.trim().toLowerCase();
    const own = [data.ids[query], data.texts[query], data.groups ? data.groups[query] : ''].join(' ').toLowerCase();
    if (words && !words.split(/\s+/).every(word => own.includes(word))) return false;
    if (!two || which.value === 'all') return true;
    const d = change(query);
    if (d === null) return false;
    return which.value === 'better' ? d > ALIKE : which.value === 'worse' ? d < -ALIKE : Math.abs(d) <= ALIKE;
  };
  const bar = (d, most) => {
    const box = make('span', '', 'delta');
    if (d === null || !most) return box;
    const fill = make('i', '', d > 0 ? 'better' : 'worse');
    fill.style.width = `${50 * Math.abs(d) / most}%`;
    box.append(fill);
    return box;
  };
  const cell = (name, query, most) => {
    if (name === 'id') {
      const td = make('td'), id = data.ids[query], anchor = data.anchors[id];
      td.title = id;
      if (!anchor) { td.textContent = id; return td; }
      const link = make('a', id);
      link.href = `#${anchor}`;
      td.append(link);
      return td;
    }
    if (name === 'text') return make('td', data.texts[query], 'text');
    if (name === 'group') return make('td', data.groups[query] || '–');
    if (name !== 'change') return make('td', shown(value(name, query)), 'n');
    const d = change(query), direction = d > ALIKE ? ' better' : d < -ALIKE ? ' worse' : '';
    const td = make('td', signed(d), `n change${direction}`);
    td.append(bar(d, most), make('small', `${shown(value(+a.value, query))} → ${shown(value(+b.value, query))}`));
    return td;
  };
  const draw = () => {
    const names = columns();
    head.replaceChildren(...names.map(([name, text]) => {
      const th = make('th'), button = make('button', text);
      if (name === 'change') button.textContent = `${data.systems[+b.value]} − ${data.systems[+a.value]}`;
      if (name === 'change' || typeof name === 'number') th.className = 'n';
      th.scope = 'col';
      button.type = 'button';
      button.dataset.column = name;
      if (name === sorted) th.setAttribute('aria-sort', up ? 'ascending' : 'descending');
      th.append(button);
      return th;
    }));
    const all = data.ids.map((_, query) => query), found = all.filter(wanted);
    const most = two ? Math.max(...all.map(query => Math.abs(change(query) ?? 0)), 0) : 0;
    found.sort((x, y) => compare(key(x), key(y)) || x - y);
    body.replaceChildren(...found.slice(0, rows).map(query => {
      const tr = make('tr');
      tr.append(...names.map(([name]) => cell(name, query, most)));
      return tr;
    }));
    count.textContent = `${found.length.toLocaleString('en')} of ${all.length.toLocaleString('en')} queries`;
    more.hidden = found.length <= rows;
    more.textContent = `Show ${Math.min(200, found.length - rows)} more`;
  };
  head.addEventListener('click', event => {
    const button = event.target.closest('button');
    if (!button) return;
    const name = /^\d+$/.test(button.dataset.column) ? +button.dataset.column : button.dataset.column;
    up = name === sorted ? !up : typeof name === 'string' && name !== 'change';
    sorted = name;
    draw();
    head.querySelector(`button[data-column="${name}"]`).focus();
  });
  controls.filter(Boolean).forEach(one => one.addEventListener('input', () => { rows = PAGE; draw(); }));
  more.addEventListener('click', () => { rows += 200; draw(); });
  narrow.addEventListener('change', draw);
  part('controls').hidden = false;
  draw();
})();

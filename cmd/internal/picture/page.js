// The page of "rocec graph --format html". Everything comes from the JSON in #data; nothing is
// fetched. Text is only ever set as text, so names cannot become markup.
(() => {
  const data = unpack(JSON.parse(document.getElementById('data').textContent));
  const view = document.getElementById('view');
  const byID = (id) => document.getElementById(id);

  // ---- small helpers -------------------------------------------------------------------------------------------

  const svg = (name, attributes = {}, ...children) => {
    const e = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    e.append(...children);
    return e;
  };
  const html = (name, attributes = {}, ...children) => {
    const e = document.createElement(name);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    e.append(...children);
    return e;
  };
  const plural = (n, what) => `${n} ${what}${n === 1 ? '' : 's'}`;
  const clamp = (v, low, high) => Math.min(Math.max(v, low), high);
  const linkText = (l) => `${data.devices[l.a.device].name}:${l.a.port} - ${data.devices[l.b.device].name}:${l.b.port}`;

  // ---- what is folded ------------------------------------------------------------------------------------------

  // home[i] is the symbol of the single device i; parent[s] the symbol s unfolds from.
  const parent = new Map();
  const home = [];
  data.symbols.forEach((s, i) => {
    for (const p of s.parts || []) parent.set(p, i);
    if (!s.parts) home[s.device] = i;
  });
  let open = []; // unfolded symbols, in the order in which they were unfolded

  const unfold = (s) => { if (data.symbols[s].parts && !open.includes(s)) open.push(s); };
  const refold = (s) => {
    const within = (i) => i !== undefined && (i === s || within(parent.get(i)));
    open = open.filter((o) => !within(o));
  };
  // reveal unfolds whatever a device is folded into.
  const reveal = (device) => {
    const chain = [];
    for (let s = parent.get(home[device]); s !== undefined; s = parent.get(s)) chain.unshift(s);
    chain.forEach(unfold);
  };

  // ---- layout --------------------------------------------------------------------------------------------------

  // blockOf measures a symbol: itself, or unfolded the grid of its parts, which may be unfolded too.
  const blockOf = (i) => {
    const s = data.symbols[i];
    if (!open.includes(i)) return { symbol: i, w: s.w, h: s.h };
    const parts = s.parts.map(blockOf);
    const cellW = Math.max(...parts.map((p) => p.w)) + 18;
    const cellH = Math.max(...parts.map((p) => p.h)) + 30;
    const columns = parts.length <= 6 ? parts.length : Math.ceil(Math.sqrt(parts.length * 2.2 * cellH / cellW));
    return { symbol: i, parts, columns, cellW, cellH, w: columns * cellW + 16, h: Math.ceil(parts.length / columns) * cellH + 26 };
  };

  // layout gives every block its place, and so what is in it.
  const layout = () => {
    const blocks = data.base.map((i) => ({ ...blockOf(i), x: data.symbols[i].x, y: data.symbols[i].y }));
    const rows = data.rows.map((r) => ({ ...r }));
    if (rows.length) layRows(blocks, rows);
    else makeRoom(blocks);
    const items = new Map(), frames = [];
    const put = (block, x, y) => {
      if (!block.parts) return items.set(block.symbol, { symbol: block.symbol, x, y, w: block.w, h: block.h });
      const left = x - block.w / 2, top = y - block.h / 2;
      frames.push({ symbol: block.symbol, left, top, right: left + block.w, bottom: top + block.h });
      block.parts.forEach((p, i) => put(p, left + 8 + (i % block.columns + 0.5) * block.cellW, top + 22 + (Math.floor(i / block.columns) + 0.5) * block.cellH));
    };
    for (const b of blocks) put(b, b.x, b.y);
    return { items, frames, rows };
  };

  // layRows spreads each row anew, in the order rocec found, with the rows as far apart as what is in them is high.
  const layRows = (blocks, rows) => {
    const gap = 16;
    const lines = rows.map((r) => blocks.filter((b) => b.y === r.y).sort((a, b) => a.x - b.x));
    const widthOf = (line) => line.reduce((sum, b) => sum + b.w + gap, -gap);
    const width = Math.max(...lines.map(widthOf));
    const before = Math.max(...lines.map((line) => line.reduce((sum, b) => sum + data.symbols[b.symbol].w + gap, -gap)));
    const stretch = Math.max(1, width / before);
    let y = 0, last = 0, below = 0; // of the row before: the place it had and the half of its heights
    lines.forEach((line, k) => {
      const high = Math.max(0, ...line.map((b) => b.h)), had = Math.max(0, ...line.map((b) => data.symbols[b.symbol].h));
      if (k === 0) y = rows[k].y;
      else y += below + (rows[k].y - last) * Math.min(stretch, 3) - had + high / 2;
      [last, below] = [rows[k].y, high / 2];
      rows[k].y = y;
      if (stretch > 1) spread(line, line.map((b) => b.x * stretch), gap);
      for (const b of line) b.y = y;
    });
  };

  // spread puts blocks in their order as near to the wanted places as they can be without overlap: least squares by
  // pooling neighbours that would.
  const spread = (line, want, gap) => {
    const offset = [];
    line.forEach((b, i) => offset.push(i ? offset[i - 1] + (line[i - 1].w + b.w) / 2 + gap : 0));
    const pools = [];
    line.forEach((b, i) => {
      pools.push({ sum: want[i] - offset[i], n: 1 });
      while (pools.length > 1 && pools.at(-2).sum / pools.at(-2).n > pools.at(-1).sum / pools.at(-1).n) {
        const p = pools.pop();
        pools.at(-1).sum += p.sum;
        pools.at(-1).n += p.n;
      }
    });
    let i = 0;
    for (const p of pools) for (let k = 0; k < p.n; k++, i++) line[i].x = p.sum / p.n + offset[i];
  };

  // makeRoom moves everything away from blocks that have grown: what was left of one stays left, what was above stays
  // above.
  const makeRoom = (blocks) => {
    for (const b of blocks.filter((block) => block.parts)) {
      const s = data.symbols[b.symbol], dx = (b.w - s.w) / 2, dy = Math.max(0, (b.h - s.h) / 2);
      for (const t of blocks) {
        if (t === b) continue;
        t.x += Math.sign(Math.round(t.x - b.x)) * dx;
        t.y += Math.sign(Math.round(t.y - b.y)) * dy;
      }
    }
  };

  // itemOf tells for every device the item it is drawn in.
  const itemsOf = (items) => home.map((s) => {
    for (; s !== undefined; s = parent.get(s)) if (items.has(s)) return items.get(s);
    return undefined;
  });

  // bundlesOf collects the links between items; failed ones apart.
  const bundlesOf = (of, failed) => {
    const bundles = new Map();
    data.links.forEach((l, i) => {
      let a = of[l.a.device], b = of[l.b.device];
      if (a.symbol > b.symbol) [a, b] = [b, a];
      const down = failed.has(i);
      const key = `${a.symbol} ${b.symbol} ${down}`;
      if (!bundles.has(key)) bundles.set(key, { key, a, b, links: [], failed: down, bow: 0 });
      bundles.get(key).links.push(i);
    });
    return [...bundles.values()];
  };

  // bend bows lines along a row or column out of the way of what stands between, and failed beside other links.
  const bend = (bundles, items) => {
    const rows = new Map(), columns = new Map();
    const add = (m, k, v) => { m.has(k) ? m.get(k).push(v) : m.set(k, [v]); };
    for (const t of items.values()) { add(rows, t.y, t.x); add(columns, t.x, t.y); }
    const between = (list, a, b) => list?.some((v) => Math.min(a, b) < v && v < Math.max(a, b));
    const sound = new Set(bundles.filter((b) => !b.failed).map((b) => `${b.a.symbol} ${b.b.symbol}`));
    for (const b of bundles) {
      const dx = Math.abs(b.a.x - b.b.x), dy = Math.abs(b.a.y - b.b.y);
      if (b.a === b.b) continue;
      if (dy === 0 && between(rows.get(b.a.y), b.a.x, b.b.x)) b.bow = 34 + Math.min(dx / 6, 120);
      else if (dx === 0 && between(columns.get(b.a.x), b.a.y, b.b.y)) b.bow = 34 + Math.min(dy / 6, 120);
      if (b.failed && sound.has(`${b.a.symbol} ${b.b.symbol}`)) b.bow += 22;
    }
  };

  // ---- geometry ------------------------------------------------------------------------------------------------

  const unit = (x, y) => { const n = Math.hypot(x, y) || 1; return { x: x / n, y: y / n }; };
  const mix = (p, q, t) => ({ x: p.x + (q.x - p.x) * t, y: p.y + (q.y - p.y) * t });
  const pointAt = (c, t) => mix(mix(c.from, c.control, t), mix(c.control, c.to, t), t);
  const px = (v) => Math.round(v * 10) / 10;
  const pathOf = (c) => `M${px(c.from.x)} ${px(c.from.y)} Q${px(c.control.x)} ${px(c.control.y)} ${px(c.to.x)} ${px(c.to.y)}`;

  // edge is where the line from the middle of an item towards p leaves it. Lines to another row leave by the upper or
  // lower side, so that flat ones keep clear of what stands beside.
  const edge = (t, p, rows) => {
    const dx = p.x - t.x, dy = p.y - t.y;
    if (rows && Math.abs(dy) > 0.75 * t.h) {
      return { x: t.x + clamp(dx * t.h / 2 / Math.abs(dy), 5 - t.w / 2, t.w / 2 - 5), y: t.y + Math.sign(dy) * t.h / 2 };
    }
    const f = Math.min(dx ? t.w / 2 / Math.abs(dx) : Infinity, dy ? t.h / 2 / Math.abs(dy) : Infinity);
    return f === Infinity ? { x: t.x, y: t.y } : { x: t.x + dx * f, y: t.y + dy * f };
  };

  const curveOf = (b) => {
    if (b.a === b.b) { // links inside a folded symbol
      const x = b.a.x + b.a.w / 2, y = b.a.y;
      return { from: { x, y: y - 8 }, control: { x: x + 30, y }, to: { x, y: y + 8 } };
    }
    const d = unit(b.b.x - b.a.x, b.b.y - b.a.y);
    let side = { x: -d.y, y: d.x };
    if (side.y > 0 || side.y === 0 && side.x < 0) side = { x: -side.x, y: -side.y };
    const control = { x: (b.a.x + b.b.x) / 2 + side.x * b.bow, y: (b.a.y + b.b.y) / 2 + side.y * b.bow };
    const rows = data.rows.length > 0 && b.a.y !== b.b.y;
    return { from: edge(b.a, control, rows), control, to: edge(b.b, control, rows) };
  };

  const shifted = (c, by) => {
    const d = unit(c.to.x - c.from.x, c.to.y - c.from.y);
    const move = (p) => ({ x: p.x - d.y * by, y: p.y + d.x * by });
    return { from: move(c.from), control: move(c.control), to: move(c.to) };
  };

  // ---- drawing -------------------------------------------------------------------------------------------------

  let chosen = data.loops.length ? 0 : -1; // the loop shown
  let current = { items: new Map(), of: [], bundles: [] };
  let matches = [], match = -1; // devices found, and the one shown

  const draw = () => {
    const loop = data.loops[chosen];
    const { items, frames, rows } = layout();
    const of = itemsOf(items);
    const bundles = bundlesOf(of, new Set(loop ? loop.down : []));
    bend(bundles, items);
    current = { items, of, bundles };

    const lines = svg('g'), marks = svg('g'), symbols = svg('g'), back = svg('g');
    let left = Infinity, right = -Infinity, top = Infinity, bottom = -Infinity;
    const cover = (l, t, r, b) => {
      left = Math.min(left, l); right = Math.max(right, r); top = Math.min(top, t); bottom = Math.max(bottom, b);
    };
    for (const f of frames) {
      cover(f.left, f.top, f.right, f.bottom);
      back.append(svg('rect', { class: 'frame', x: f.left, y: f.top, width: f.right - f.left, height: f.bottom - f.top, rx: 6 }));
      const label = `− ${data.symbols[f.symbol].label}`;
      symbols.append(svg('g', { class: 'refold', tabindex: 0, role: 'button', 'data-refold': f.symbol, 'aria-label': `fold ${data.symbols[f.symbol].label}` },
        svg('text', { x: f.left + 8, y: f.top + 15 }, label)));
    }
    const bundleOf = new Map();
    bundles.forEach((b, i) => {
      for (const l of b.links) bundleOf.set(l, b);
      const c = curveOf(b);
      if (b.bow) { const m = pointAt(c, 0.5); cover(m.x, m.y, m.x, m.y); }
      const carrying = b.links.filter((l) => data.links[l].lossless).length;
      const planned = b.links.every((l) => data.links[l].planned);
      const kind = b.failed ? 'failed' : planned ? 'link planned' : carrying === b.links.length ? 'link' : carrying === 0 ? 'link lossy' : 'link mixed';
      const width = b.failed ? 2 : Math.min(1.3 + 0.55 * Math.log2(b.links.length), 6);
      lines.append(svg('g', { class: 'mark', tabindex: 0, role: 'img', 'data-bundle': i, 'aria-label': bundleTitle(b) },
        svg('path', { class: kind, d: pathOf(c), 'stroke-width': px(width) }), svg('path', { class: 'hit', d: pathOf(c) })));
      if (b.failed) {
        const m = pointAt(c, 0.5);
        marks.append(svg('path', { class: 'cross', d: `M${px(m.x - 6)} ${px(m.y - 6)}l12 12m0 -12l-12 12` }));
      }
    });
    const onLoop = new Set();
    if (loop) drawLoop(loop, of, bundleOf, lines, marks, onLoop, items);
    const found = new Set(matches.map((d) => of[d]));
    for (const t of items.values()) {
      cover(t.x - t.w / 2, t.y - t.h / 2, t.x + t.w / 2, t.y + t.h / 2);
      symbols.append(symbolMark(t, onLoop.has(t), found.has(t), match >= 0 && of[matches[match]] === t));
    }
    for (const r of rows) {
      back.append(svg('text', { class: 'tier', x: left - 78, y: r.y + 4 }, r.label));
    }
    if (rows.length) left -= 78;
    if (!items.size) cover(0, 0, 100, 100);
    current.bounds = { x: left - 30, y: top - 30, w: right - left + 60, h: bottom - top + 60 };
    const focus = document.activeElement && view.contains(document.activeElement) ? document.activeElement.dataset : {};
    view.replaceChildren(svg('g', { class: loop ? 'drawing faded' : 'drawing' }, back, lines, symbols, marks));
    for (const kind of ['symbol', 'refold']) { // keyboards stay where they were
      if (focus[kind] !== undefined) view.querySelector(`[data-${kind}="${focus[kind]}"]`)?.focus();
    }
  };

  const bundleTitle = (b) => {
    const what = b.failed ? 'failed: ' : '';
    if (b.links.length === 1) return what + linkText(data.links[b.links[0]]);
    return `${what}${data.symbols[b.a.symbol].label} - ${data.symbols[b.b.symbol].label}, ${plural(b.links.length, 'link')}`;
  };

  const symbolMark = (t, onLoop, found, shown) => {
    const s = data.symbols[t.symbol];
    const classes = ['mark', s.host ? 'host' : 'switch'];
    if (onLoop) classes.push('onloop');
    if (found) classes.push('match');
    if (shown) classes.push('current');
    const g = svg('g', {
      class: classes.join(' '), tabindex: 0, role: s.parts ? 'button' : 'img', 'data-symbol': t.symbol,
      'aria-label': s.parts ? `${s.label}, ${s.count}, unfold` : s.label,
    });
    const box = { width: t.w, height: t.h, rx: s.host ? 1 : 5 };
    if (s.parts) g.append(svg('rect', { ...box, x: t.x - t.w / 2 + 4, y: t.y - t.h / 2 - 4 }));
    g.append(svg('rect', { ...box, x: t.x - t.w / 2, y: t.y - t.h / 2 }));
    const line = t.y + 4 - (s.parts ? 7 : 0);
    g.append(svg('text', { class: 'label', x: t.x, y: line }, s.label));
    if (s.parts) g.append(svg('text', { class: 'count', x: t.x, y: line + 15 }, s.count));
    return g;
  };

  // drawLoop draws an arrow into every buffer of the loop, along the cable that fills it, numbered in the direction of
  // waiting.
  const drawLoop = (loop, of, bundleOf, lines, marks, onLoop, items) => {
    const uses = new Map(), before = new Map();
    for (const h of loop.hops) uses.set(bundleOf.get(h.link), (uses.get(bundleOf.get(h.link)) || 0) + 1);
    const taken = [...items.values()].map((t) => ({ x: t.x, y: t.y, w: t.w / 2 + 11, h: t.h / 2 + 11 }));
    loop.hops.forEach((h, i) => {
      const l = data.links[h.link], b = bundleOf.get(h.link);
      const into = of[(h.into_b ? l.b : l.a).device];
      onLoop.add(into);
      let c = curveOf(b);
      const forward = into === b.b;
      if (!forward) c = { from: c.to, control: c.control, to: c.from };
      if (uses.get(b) > 1) { // the other direction, or a parallel link, is on the loop too
        const key = `${b.key} ${forward}`;
        c = shifted(c, 7 + 13 * (before.get(key) || 0));
        before.set(key, (before.get(key) || 0) + 1);
      }
      const d = unit(c.to.x - c.control.x, c.to.y - c.control.y);
      const back = { x: c.to.x - 14 * d.x, y: c.to.y - 14 * d.y };
      lines.append(svg('path', { class: 'loop', 'data-hop': i + 1, d: pathOf({ ...c, to: back }) }));
      marks.append(svg('path', {
        class: 'arrow',
        d: `M${px(c.to.x - d.x)} ${px(c.to.y - d.y)} L${px(back.x - d.y * 6)} ${px(back.y + d.x * 6)} L${px(back.x + d.y * 6)} ${px(back.y - d.x * 6)} Z`,
      }));
      const steps = [0.66, 0.58, 0.74, 0.5, 0.42, 0.34, 0.26, 0.8];
      const free = (t) => { const p = pointAt(c, t); return taken.every((o) => Math.abs(p.x - o.x) > o.w || Math.abs(p.y - o.y) > o.h); };
      const m = pointAt(c, steps.find(free) ?? steps[0]);
      taken.push({ x: m.x, y: m.y, w: 20, h: 20 });
      marks.append(svg('circle', { class: 'disc', cx: px(m.x), cy: px(m.y), r: 9.5 }));
      marks.append(svg('text', { class: 'number', x: px(m.x), y: px(m.y + 4) }, String(i + 1)));
    });
  };

  // ---- zoom and pan --------------------------------------------------------------------------------------------

  let shown = { x: 0, y: 0, w: 100, h: 100 };
  const show = (box) => {
    shown = box;
    view.setAttribute('viewBox', `${box.x} ${box.y} ${box.w} ${box.h}`);
  };
  const fit = () => show({ ...current.bounds });
  const zoom = (factor, p = { x: shown.x + shown.w / 2, y: shown.y + shown.h / 2 }) => {
    const w = clamp(shown.w * factor, 60, 400000);
    const f = w / shown.w;
    show({ x: p.x - (p.x - shown.x) * f, y: p.y - (p.y - shown.y) * f, w, h: shown.h * f });
  };
  const place = (event) => new DOMPoint(event.clientX, event.clientY).matrixTransform(view.getScreenCTM().inverse());

  view.addEventListener('wheel', (event) => {
    event.preventDefault();
    zoom(Math.exp(clamp(event.deltaY, -240, 240) / 480), place(event));
  }, { passive: false });

  let drag = null; // where the pointer went down
  let dragged = false;
  view.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    drag = { x: event.clientX, y: event.clientY, shown };
    dragged = false;
  });
  view.addEventListener('pointermove', (event) => {
    if (!drag) return;
    if (!dragged && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < 5) return;
    if (!dragged) { dragged = true; view.setPointerCapture(event.pointerId); view.classList.add('moving'); }
    const scale = 1 / view.getScreenCTM().a;
    show({ ...drag.shown, x: drag.shown.x - (event.clientX - drag.x) * scale, y: drag.shown.y - (event.clientY - drag.y) * scale });
  });
  const dropped = () => { drag = null; view.classList.remove('moving'); };
  view.addEventListener('pointerup', dropped);
  view.addEventListener('pointercancel', dropped);

  // ---- settings ------------------------------------------------------------------------------------------------

  const table = (rows) => html('table', {}, ...rows.map(([name, value, origin]) => {
    const cell = html('td', {}, value);
    if (origin) cell.append(html('span', { class: 'origin' }, origin));
    return html('tr', {}, html('th', { scope: 'row' }, name), cell);
  }));

  const details = byID('details');
  const describeBundle = (b) => {
    const out = [html('h3', {}, bundleTitle(b))];
    if (b.failed) out.push(html('p', {}, 'Must have failed for the loop.'));
    const alike = new Map(); // links with the same settings
    for (const i of b.links) {
      const l = data.links[i], key = `${l.table} ${l.a.table} ${l.b.table}`;
      alike.has(key) ? alike.get(key).push(l) : alike.set(key, [l]);
    }
    for (const links of [...alike.values()].slice(0, 6)) {
      const l = links[0];
      if (b.links.length > 1) {
        out.push(html('h3', {}, links.length > 1 ? `${plural(links.length, 'link')} alike, for example` : '1 link'), html('p', { class: 'cable' }, linkText(l)));
      }
      out.push(table(data.tables[l.table]));
      for (const end of [l.a, l.b]) {
        out.push(html('h3', {}, `${data.devices[end.device].name}:${end.port}`), table(data.tables[end.table]));
      }
    }
    if (alike.size > 6) out.push(html('p', {}, `… ${alike.size - 6} more kinds of links`));
    details.replaceChildren(...out);
  };
  const describeDevice = (device) => {
    const d = data.devices[device];
    const out = [html('h3', {}, d.name), table(data.tables[d.table])];
    const cables = data.links.filter((l) => l.a.device === device || l.b.device === device);
    const most = 64;
    out.push(html('h3', {}, plural(cables.length, 'link')));
    for (const l of cables.slice(0, most)) {
      const [near, far] = l.a.device === device ? [l.a, l.b] : [l.b, l.a];
      out.push(html('p', { class: 'cable' }, `${near.port} - ${data.devices[far.device].name}:${far.port}`));
    }
    if (cables.length > most) out.push(html('p', {}, `… ${cables.length - most} more`));
    details.replaceChildren(...out);
  };
  const describeSymbol = (i) => {
    const s = data.symbols[i];
    if (!s.parts) return describeDevice(s.device);
    details.replaceChildren(html('h3', {}, s.label), html('p', {}, `${s.count} that stand alike; a click unfolds them. The first of them:`),
      html('h3', {}, data.devices[s.device].name), table(data.tables[data.devices[s.device].table]));
  };
  const describe = (event) => {
    const mark = event.target.closest?.('[data-bundle], [data-symbol]');
    if (!mark || drag) return;
    if (mark.dataset.bundle !== undefined) describeBundle(current.bundles[Number(mark.dataset.bundle)]);
    else describeSymbol(Number(mark.dataset.symbol));
  };
  view.addEventListener('pointerover', describe);
  view.addEventListener('focusin', describe);

  // ---- folding -------------------------------------------------------------------------------------------------

  // redraw keeps the place on the screen of what was clicked.
  const redraw = (anchor) => {
    const before = current.items.get(anchor);
    draw();
    const after = before && (current.items.get(anchor) || current.items.get(data.symbols[anchor].parts?.[0]));
    if (before && after) show({ ...shown, x: shown.x + after.x - before.x, y: shown.y + after.y - before.y });
  };
  const activate = (target) => {
    const mark = target.closest?.('[data-symbol], [data-refold]');
    if (!mark) return false;
    if (mark.dataset.refold !== undefined) { refold(Number(mark.dataset.refold)); redraw(); return true; }
    const s = Number(mark.dataset.symbol);
    if (!data.symbols[s].parts) return false;
    unfold(s);
    redraw(s);
    const b = current.bounds; // show what came out
    if (b.w > shown.w || b.h > shown.h) fit();
    return true;
  };
  view.addEventListener('click', (event) => { if (!dragged) activate(event.target); });

  // ---- loops ---------------------------------------------------------------------------------------------------

  const loopSection = byID('loop-section');
  const chooseLoop = (i) => {
    chosen = i;
    const loop = data.loops[i];
    [...byID('loops').querySelectorAll('button')].forEach((b, j) => b.setAttribute('aria-pressed', String(j === i)));
    loopSection.hidden = !loop;
    if (loop) {
      for (const l of [...loop.hops.map((h) => h.link), ...loop.down]) {
        reveal(data.links[l].a.device);
        reveal(data.links[l].b.device);
      }
      const out = [html('p', {}, 'Each buffer can only drain into the next, the last into the first:'),
        html('ol', { id: 'hops' }, ...loop.hops.map((h) => html('li', {}, h.text)))];
      if (loop.down.length) {
        out.push(html('p', {}, `Only when ${loop.down.length === 1 ? 'this link has' : 'these links have'} failed:`));
        for (const l of loop.down) out.push(html('p', { class: 'cable down' }, linkText(data.links[l])));
      } else out.push(html('p', {}, 'No link needs to have failed.'));
      if (loop.flows.length) {
        out.push(html('p', {}, 'Flows that fill it:'));
        for (const f of loop.flows) out.push(html('p', { class: 'flow' }, f));
      }
      byID('loop').replaceChildren(...out);
    }
    draw();
  };
  data.loops.forEach((l, i) => {
    const b = html('button', { type: 'button', 'aria-pressed': 'false' }, `${i + 1}. ${l.title}`);
    b.addEventListener('click', () => { chooseLoop(chosen === i ? -1 : i); fit(); });
    byID('loops').append(html('li', {}, b));
  });
  byID('loops-section').hidden = data.loops.length === 0;
  for (const v of data.verdicts) {
    byID('verdicts').append(html('li', {}, html('span', { class: `verdict-${v.verdict}` }, v.text),
      ...v.notes.map((n) => html('p', { class: 'note' }, n))));
  }
  if (!data.verdicts.length) byID('verdicts').append(html('li', {}, 'not judged: no lossless cos group'));

  // ---- search --------------------------------------------------------------------------------------------------

  const query = byID('query');
  const search = () => {
    const text = query.value.trim().toLowerCase();
    matches = text ? data.devices.flatMap((d, i) => d.name.toLowerCase().includes(text) ? [i] : []) : [];
    const exact = matches.findIndex((i) => data.devices[i].name.toLowerCase() === text);
    match = matches.length ? Math.max(exact, 0) : -1;
    showMatch();
  };
  const showMatch = () => {
    draw();
    byID('found').textContent = matches.length ? `${match + 1} of ${matches.length}: ${data.devices[matches[match]].name}` : query.value.trim() ? 'nothing found' : '';
    if (match < 0) return;
    describeDevice(matches[match]);
    const t = current.of[matches[match]];
    const w = Math.min(shown.w, Math.max(current.bounds.w, 300)), h = shown.h * w / shown.w;
    show({ x: t.x - w / 2, y: t.y - h / 2, w, h });
  };
  query.addEventListener('input', search);
  query.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !matches.length) return;
    match = (match + (event.shiftKey ? matches.length - 1 : 1)) % matches.length;
    showMatch();
  });
  byID('find').addEventListener('submit', (event) => event.preventDefault());

  // ---- keys and buttons ----------------------------------------------------------------------------------------

  const step = 0.12; // of what is shown
  const keys = {
    '+': () => zoom(0.8), '=': () => zoom(0.8), '-': () => zoom(1.25), '0': fit,
    ArrowLeft: () => show({ ...shown, x: shown.x - shown.w * step }),
    ArrowRight: () => show({ ...shown, x: shown.x + shown.w * step }),
    ArrowUp: () => show({ ...shown, y: shown.y - shown.h * step }),
    ArrowDown: () => show({ ...shown, y: shown.y + shown.h * step }),
  };
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape') {
      query.value = '';
      search();
      fit();
      return;
    }
    if (event.target === query) return;
    if (event.key === '/') {
      event.preventDefault();
      query.select();
      query.focus();
    } else if (view.contains(event.target)) {
      if (keys[event.key]) {
        event.preventDefault();
        keys[event.key]();
      } else if ((event.key === 'Enter' || event.key === ' ') && activate(event.target)) event.preventDefault();
    }
  });
  byID('in').addEventListener('click', () => zoom(0.8));
  byID('out').addEventListener('click', () => zoom(1.25));
  byID('fit').addEventListener('click', fit);
  byID('unfold').addEventListener('click', () => {
    data.symbols.forEach((s, i) => unfold(i)); // parts stand behind what they unfold from
    draw();
    fit();
  });
  byID('refold').addEventListener('click', () => { open = []; chooseLoop(chosen); fit(); });

  // ---- legend --------------------------------------------------------------------------------------------------

  const legend = (text, ...marks) => byID('legend').append(html('li', {}, svg('svg', { viewBox: '-2 -10 46 20', 'aria-hidden': 'true', class: 'drawing' }, ...marks), text));
  const stroke = (kind, width) => svg('path', { class: kind, d: 'M2 0H38', 'stroke-width': width });
  legend('lossless link', stroke('link', 1.6));
  legend('lossy link', stroke('link lossy', 1.6));
  if (data.links.some((l) => l.planned)) legend('planned link', stroke('link planned', 1.6));
  legend('several links, the more the thicker', stroke('link', 4));
  legend('failed link', stroke('failed', 2), svg('path', { class: 'cross', d: 'M14 -6l12 12m0 -12l-12 12' }));
  if (data.loops.length) {
    legend('cable into buffer n of the loop; n can only drain into n+1', svg('path', { class: 'loop', d: 'M0 0H28' }),
      svg('path', { class: 'arrow', d: 'M42 0L28 6L28 -6Z' }), svg('circle', { class: 'disc', cx: 14, cy: 0, r: 9 }), svg('text', { class: 'number', x: 14, y: 4 }, 'n'));
  }

  chooseLoop(chosen);
  fit();
})();

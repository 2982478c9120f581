'use strict';
// unpack gives the objects that page.js works on (type page in html.go), of the columns that stand in the page (pack.go).
const unpack = (packed) => {
  // column gives the numbers of a column: themselves, or [first, step, count] for a run of them.
  const column = (runs) => {
    const out = [];
    for (const r of runs) {
      if (typeof r === 'number') out.push(r);
      else for (let i = 0; i < r[2]; i++) out.push(r[0] + i * r[1]);
    }
    return out;
  };

  // expand gives the names of a nodeset; the last bracket counts fastest.
  const expand = (set, out, before = '') => {
    const range = /\[(\d+)-(\d+)\]/.exec(set);
    if (!range) return out.push(before + set);
    const after = set.slice(range.index + range[0].length);
    for (let n = Number(range[1]); n <= Number(range[2]); n++) {
      expand(after, out, before + set.slice(0, range.index) + String(n).padStart(range[1].length, '0'));
    }
    return out;
  };

  // shorten cuts the middle out of a long label.
  const shorten = (text) => {
    const letters = [...text], half = (packed.letters - 1) >> 1;
    if (letters.length <= packed.letters) return text;
    return `${letters.slice(0, packed.letters - 1 - half).join('')}…${letters.slice(-half).join('')}`;
  };

  const unpackDevices = (p) => {
    const names = [], tables = column(p.table);
    for (const set of p.names) expand(set, names);
    return names.map((name, i) => ({ name, table: tables[i] }));
  };

  const unpackLinks = (p) => {
    const end = (e) => {
      const device = column(e.device), port = column(e.port), table = column(e.table);
      return (i) => ({ device: device[i], port: p.ports[port[i]], table: table[i] });
    };
    const a = end(p.a), b = end(p.b), flags = column(p.flags);
    return column(p.table).map((table, i) => ({ a: a(i), b: b(i), table, lossless: (flags[i] & 1) > 0, planned: (flags[i] & 2) > 0 }));
  };

  // unpackSymbols gives the symbols, of which each stands before its parts.
  const unpackSymbols = (p, devices) => {
    const parts = column(p.parts), device = column(p.device), host = column(p.host);
    const x = column(p.x), y = column(p.y), w = column(p.w), h = column(p.h);
    const open = []; // symbols that lack parts
    let folded = 0;
    const out = [];
    parts.forEach((n, i) => {
      const s = { label: shorten(devices[device[i]].name), host: host[i] > 0, device: device[i], x: x[i], y: y[i], w: w[i], h: h[i] };
      if (open.length) {
        const whole = open.at(-1);
        whole.symbol.parts.push(i);
        if (--whole.left === 0) open.pop();
      }
      if (n > 0) {
        Object.assign(s, { label: p.labels[folded], count: p.counts[folded], parts: [] });
        folded++;
        open.push({ symbol: s, left: n });
      }
      out.push(s);
    });
    return out;
  };

  const devices = unpackDevices(packed.devices);
  return { ...packed, devices, links: unpackLinks(packed.links), symbols: unpackSymbols(packed.symbols, devices) };
};

"use strict";
/* Draws the sections of a page from its data. All text of files goes in as text, never as markup. */
const data = JSON.parse(document.getElementById("data").textContent);
const SVG = "http://www.w3.org/2000/svg";
const narrow = innerWidth < 600; /* charts are then drawn for less width, so that their text stays legible */

function element(name, attributes, ...children) {
	const made = ["svg", "g", "line", "path", "circle", "rect", "text", "title", "polyline"].includes(name)
		? document.createElementNS(SVG, name) : document.createElement(name);
	for (const [key, value] of Object.entries(attributes || {}))
		if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
		else if (value !== null && value !== undefined) made.setAttribute(key, value);
	made.append(...children.filter(c => c !== null && c !== undefined));
	return made;
}
const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;
const bytes = n => { let u = 0; while (u < 4 && n >= 1024 && n % 1024 === 0) { n /= 1024; u++; } return n + ["", "K", "M", "G", "T"][u]; };
const short = x => x >= 1000 ? x.toFixed(0) : x >= 100 ? x.toFixed(1) : x >= 10 ? x.toFixed(2) : x.toPrecision(3);

/* ---- the machine ---- */

/* A line between two places; bent where it would cross another node, as the wrap links of a torus do. OFFSET moves the two
 * directions of a pair apart. */
function path(machine, a, b, offset) {
	const [x1, y1] = machine.at[a], [x2, y2] = machine.at[b], length = Math.hypot(x2 - x1, y2 - y1) || 1;
	const nx = -(y2 - y1) / length, ny = (x2 - x1) / length;
	let bend = offset;
	for (let v = 0; v < machine.at.length; v++) {
		if (v === a || v === b) continue;
		const [x, y] = machine.at[v], t = ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / (length * length);
		if (t > 0.02 && t < 0.98 && Math.abs((x - x1) * nx + (y - y1) * ny) < machine.radius * 0.9) {
			bend = (a < b ? 1 : -1) * (machine.radius * 2.2 + length * 0.08) + offset;
			break;
		}
	}
	const r = machine.radius + 2, cx = (x1 + x2) / 2 + nx * bend * 2, cy = (y1 + y2) / 2 + ny * bend * 2;
	const cut = (fx, fy, tx, ty) => { const l = Math.hypot(tx - fx, ty - fy) || 1; return [fx + (tx - fx) / l * r, fy + (ty - fy) / l * r]; };
	const [sx, sy] = cut(x1, y1, cx, cy), [ex, ey] = cut(x2, y2, cx, cy);
	return `M${sx.toFixed(1)} ${sy.toFixed(1)}Q${cx.toFixed(1)} ${cy.toFixed(1)} ${ex.toFixed(1)} ${ey.toFixed(1)}`;
}

function drawing(machine) {
	const links = element("g"), sends = element("g"), nodes = element("g");
	for (const hub of machine.hubs)
		for (const v of hub.nodes)
			links.append(element("line", {class: "spoke", x1: machine.at[v][0], y1: machine.at[v][1], x2: hub.at[0], y2: hub.at[1]}));
	for (const [a, b, width, what] of machine.links)
		links.append(element("path", {class: "link", d: path(machine, a, b, 0), "stroke-width": Math.min(1 + width, 7)}, element("title", {}, what)));
	for (const hub of machine.hubs) {
		links.append(element("rect", {class: "hub", x: hub.at[0] - 24, y: hub.at[1] - 11, width: 48, height: 22, rx: 5},
			element("title", {}, hub.what)));
		links.append(element("text", {x: hub.at[0], y: hub.at[1] + 4, "text-anchor": "middle", "font-size": 11}, hub.name));
	}
	const circles = machine.at.map(([x, y], v) => {
		const circle = element("circle", {class: "node", cx: x, cy: y, r: machine.radius});
		nodes.append(circle, element("text", {x, y: y + machine.radius * 0.35, "text-anchor": "middle", "font-size": machine.radius}, String(v)));
		return circle;
	});
	const head = (id, color) => {
		const marker = document.createElementNS(SVG, "marker");
		for (const [k, v] of Object.entries({id, viewBox: "0 0 10 10", refX: 8, refY: 5, markerWidth: 9, markerHeight: 9, orient: "auto", markerUnits: "userSpaceOnUse"}))
			marker.setAttribute(k, v);
		marker.append(element("path", {d: "M0 1L10 5L0 9z", style: `fill:var(${color})`}));
		return marker;
	};
	return {svg: element("svg", {viewBox: machine.view.join(" "), role: "img", "aria-label": `machine ${machine.name}`,
		style: `max-width:${Math.round(machine.view[2] * 1.5)}px;margin:auto`},
		head("copying", "--copy"), head("adding", "--add"), links, sends, nodes), sends, circles};
}

function machineSection(s) {
	const m = s.machine;
	return element("div", {class: "box"}, drawing(m).svg,
		element("p", {class: "legend"}, m.links.length ? "A line joins two nodes by links; thicker: more bandwidth. " : "",
			m.hubs.length ? "Dotted: links to switches, which are drawn as one where they are joined to each other." : ""));
}

/* ---- an algorithm, step by step ---- */

let active = null; /* the player that the keys move */

/* What each node holds after each step: the number of contributions in [node * chunks + chunk]; 0: none. */
function play(a) {
	const state = new Uint32Array(a.nodes * a.global), states = [];
	a.pre.forEach((nodes, chunk) => nodes.forEach(v => { state[v * a.global + chunk] = 1; }));
	states.push(state.slice());
	for (const step of a.steps) {
		const before = state.slice();
		for (const [c, from, to] of step.sends) state[to * a.global + c] = before[from * a.global + c];
		for (const [c, from, to] of step.reduces) state[to * a.global + c] += before[from * a.global + c];
		states.push(state.slice());
	}
	return states;
}

function playerSection(s) {
	const a = s.algorithm, m = s.machine, states = play(a), S = a.steps.length, view = drawing(m);
	const need = (c, v) => a.wants[c][v] || (a.combining ? a.pre[c].length : 1);
	const rate = new Map(a.pairs.map(([from, to, b]) => [from * a.nodes + to, b]));
	let at = 0, timer = null;

	const label = element("strong", {"aria-live": "polite"}), list = element("div", {class: "scroll"}), holds = element("div", {class: "scroll"});
	const slider = element("input", {type: "range", min: 0, max: S, value: 0, "aria-label": "step", oninput: () => show(+slider.value)});
	const playing = element("button", {type: "button", "aria-label": "play", onclick: toggle}, "Play");
	const button = (text, what, step) => element("button", {type: "button", "aria-label": what, onclick: () => show(step())}, text);

	function edges(step) {
		const loads = new Map();
		for (const [kind, sends] of [["copy", step.sends], ["add", step.reduces]])
			for (const [c, from, to] of sends) {
				const key = kind + "," + from + "," + to;
				if (!loads.has(key)) loads.set(key, {kind, from, to, chunks: []});
				loads.get(key).chunks.push(c);
			}
		return [...loads.values()].sort((x, y) => x.from - y.from || x.to - y.to);
	}
	function show(k) {
		at = Math.max(0, Math.min(S, k));
		slider.value = at;
		active = player;
		const step = at ? a.steps[at - 1] : null, sent = step ? edges(step) : [];
		label.textContent = step ? `Step ${at} of ${S}: ${plural(step.rounds, "round")}, ${plural(step.sends.length + step.reduces.length, "send")}`
			: `Before the first of ${plural(S, "step")}: the inputs`;
		view.sends.replaceChildren(...sent.map(e => {
			const most = (rate.get(e.from * a.nodes + e.to) || 1) * step.rounds;
			return element("path", {class: e.kind, d: path(m, e.from, e.to, 3), "stroke-width": Math.max(1.5, Math.min(8, 1.5 + 5 * e.chunks.length / most)),
				"marker-end": e.kind === "copy" ? "url(#copying)" : "url(#adding)"},
			element("title", {}, `${e.from} to ${e.to}: ${plural(e.chunks.length, "chunk")} of at most ${most} in this step`));
		}));
		list.replaceChildren(step ? element("table", {}, element("tbody", {}, ...sent.map(e => element("tr", {},
			element("td", {class: "left"}, `${e.from} → ${e.to}`), element("td", {class: "left"}, e.kind === "copy" ? "copies" : "adds"),
			element("td", {class: "left"}, (e.chunks.length > 40 ? e.chunks.slice(0, 40).join(" ") + ` and ${e.chunks.length - 40} more` : e.chunks.join(" ")))))))
			: element("p", {class: "soft"}, "Nothing has been sent yet. Press → or Play for the first step."));
		matrix();
		gantt.now(at);
	}
	function matrix() {
		const state = states[at], before = states[Math.max(0, at - 1)], G = a.global;
		view.circles.forEach((circle, v) => {
			let have = 0, want = 0;
			for (let c = 0; c < G; c++) if (a.wants[c][v]) { want++; have += state[v * G + c] >= need(c, v); }
			circle.setAttribute("class", "node " + (want && have === want ? "has" : have ? "some" : ""));
			circle.setAttribute("fill-opacity", 0.55);
		});
		if (G > 96 || G * a.nodes > 6000) {
			holds.replaceChildren(element("table", {}, element("tbody", {}, ...m.at.slice(0, a.nodes).map((_, v) => {
				let some = 0, whole = 0;
				for (let c = 0; c < G; c++) { some += state[v * G + c] > 0; whole += state[v * G + c] >= need(c, v); }
				return element("tr", {}, element("td", {}, `node ${v}`), element("td", {}, `${a.combining ? whole : some} of ${plural(G, "chunk")}`),
					element("td", {class: "left"}, a.combining && some > whole ? `and ${some - whole} in part` : ""));
			}))));
			return;
		}
		const size = Math.max(7, Math.min(20, 460 / G)), left = 30;
		const svg = element("svg", {viewBox: `0 0 ${left + G * size + 2} ${(a.nodes + 1) * size + 4}`, style: `max-width:${left + G * size + 2}px;min-width:${Math.min(300, left + G * 7)}px`,
			role: "img", "aria-label": "what each node holds"});
		for (let v = 0; v < a.nodes; v++) {
			svg.append(element("text", {x: 0, y: (v + 0.8) * size, "font-size": Math.min(12, size)}, String(v)));
			for (let c = 0; c < G; c++) {
				const n = state[v * G + c], fresh = at && n !== before[v * G + c];
				svg.append(element("rect", {x: left + c * size + 1, y: v * size + 1, width: size - 2, height: size - 2, class: (n >= need(c, v) ? "has" : n ? "some" : "none") + (fresh ? " fresh" : "")},
					element("title", {}, `node ${v}, chunk ${c}: ${!n ? "nothing" : a.combining ? `the sum of ${n} of ${plural(need(c, v), "input")}` : "held"}`)));
			}
		}
		holds.replaceChildren(svg);
	}
	function toggle() {
		if (timer) { clearInterval(timer); timer = null; } else {
			if (at === S) show(0);
			timer = setInterval(() => { if (at === S) toggle(); else show(at + 1); }, 900);
		}
		playing.textContent = timer ? "Pause" : "Play";
	}
	const gantt = chartOfLinks(a, edges, k => show(k));
	const keys = {ArrowRight: () => show(at + 1), ArrowLeft: () => show(at - 1), Home: () => show(0), End: () => show(S), " ": toggle};
	const player = {keys, root: element("div", {},
		element("div", {class: "controls"}, button("|<", "before the first step", () => 0), button("<", "step back", () => at - 1), playing,
			button(">", "next step", () => at + 1), button(">|", "last step", () => S), slider),
		label, element("p", {class: "soft"}, "Keys: ← → a step, Home and End, space plays."),
		element("div", {class: "columns"},
			element("div", {class: "box"}, view.svg, element("p", {class: "legend"},
				a.combining ? "Solid: copies a chunk. Dashed: adds it to what the receiver has. " : "An arrow sends chunks. ",
				"Thicker: nearer to all that the link can carry in this step. Green node: has all that it is to have; yellow: some.")),
			element("div", {class: "box"}, element("h2", {}, "Sends of this step"), list)),
		element("h2", {}, "What each node holds"), element("div", {class: "box"}, holds, element("p", {class: "legend"},
			`A row is a node, a column a chunk: ${a.combining ? "green: the whole sum, yellow: a part of it" : "green: held"}; with a frame: new in this step.`)),
		element("h2", {}, "Links over time"), element("div", {class: "box"}, gantt.root)), show};
	player.root.addEventListener("pointerdown", () => { active = player; });
	const before = active;
	show(0);
	active = before || player; /* the first of a page has the keys until another is used */
	return player.root;
}

/* A row for each pair that sends, over rounds. */
function chartOfLinks(a, edges, jump) {
	const ROWS = 64, starts = [0], rows = new Map();
	a.steps.forEach((s, k) => {
		starts.push(starts[k] + s.rounds);
		for (const e of edges(s)) {
			const key = `${e.from} → ${e.to}`;
			if (!rows.has(key)) rows.set(key, {total: 0, bars: [], b: (a.pairs.find(p => p[0] === e.from && p[1] === e.to) || [0, 0, 1])[2]});
			const row = rows.get(key), last = row.bars[row.bars.length - 1];
			row.total += e.chunks.length;
			if (last && last.k === k) last.n += e.chunks.length; else row.bars.push({k, n: e.chunks.length, kind: e.kind});
		}
	});
	const shown = [...rows].sort((x, y) => y[1].total / y[1].b - x[1].total / x[1].b).slice(0, ROWS), R = starts[starts.length - 1];
	const left = narrow ? 74 : 62, width = narrow ? 420 : 900, line = narrow ? 17 : 15, size = narrow ? 12 : 10, height = shown.length * line + 22, x = r => left + (width - left - 6) * r / Math.max(R, 1);
	const now = element("rect", {class: "now", y: 0, height: height - 18, x: 0, width: 0});
	const svg = element("svg", {viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "links over time"}, now);
	shown.forEach(([name, row], i) => {
		svg.append(element("text", {x: left - 6, y: i * line + 11, "font-size": size, "text-anchor": "end"}, name));
		for (const bar of row.bars) {
			const rounds = bar.n / row.b;
			svg.append(element("rect", {class: "bar" + (bar.kind === "add" ? " sum" : ""), x: x(starts[bar.k]) + 0.5, y: i * line + 2, height: line - 4,
				width: Math.max(1, Math.min(x(starts[bar.k] + rounds), x(starts[bar.k + 1])) - x(starts[bar.k]) - 1), onclick: () => jump(bar.k + 1)},
			element("title", {}, `${name}, step ${bar.k + 1}: ${plural(bar.n, "chunk")}, ${short(rounds)} of ${plural(a.steps[bar.k].rounds, "round")}`)));
		}
	});
	starts.forEach((r, k) => {
		svg.append(element("line", {class: "link", x1: x(r), x2: x(r), y1: 0, y2: height - 18}));
		if (k < a.steps.length && (a.steps.length <= 40 || k % Math.ceil(a.steps.length / 20) === 0))
			svg.append(element("text", {x: (x(r) + x(starts[k + 1])) / 2, y: height - 5, "font-size": size, "text-anchor": "middle"}, String(k + 1)));
	});
	return {now: k => { now.setAttribute("x", k ? x(starts[k - 1]) : 0); now.setAttribute("width", k ? x(starts[k]) - x(starts[k - 1]) : 0); },
		root: element("div", {}, element("div", {class: "scroll"}, svg), element("p", {class: "legend"},
			`Across: the ${plural(R, "round")} of the steps, numbered below; in a round a link of bandwidth 1 carries one chunk. A bar: how long the pair is busy in a step.` +
			(rows.size > ROWS ? ` The ${ROWS} busiest of ${rows.size} pairs.` : "")))};
}

/* ---- frontiers, charts, tables ---- */

function frontierSection(s) {
	const W = narrow ? 400 : 640, H = 320, left = 52, bottom = 40, p = s.points, most = Math.max(...p.map(q => q.rate), s.rate), least = s.rate;
	const s0 = Math.min(s.steps, ...p.map(q => q.steps)), s1 = Math.max(...p.map(q => q.steps), s0 + 1), span = most - least || most || 1;
	const x = v => left + (W - left - 24) * (v - s0 + 0.3) / (s1 - s0 + 0.6), y = v => 12 + (H - bottom - 24) * (1 - (v - least + 0.08 * span) / (span * 1.16));
	const svg = element("svg", {viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": "the frontier", style: "max-width:860px"});
	const detail = element("div", {}), marks = [];
	svg.append(element("line", {class: "axis", x1: left, x2: W - 6, y1: H - bottom, y2: H - bottom}), element("line", {class: "axis", x1: left, x2: left, y1: 6, y2: H - bottom}),
		element("line", {class: "bound", x1: left, x2: W - 6, y1: y(least), y2: y(least)}),
		element("text", {x: left + 6, y: y(least) + 17, "font-size": 12}, `no algorithm is below R/C = ${s.ratio}`),
		element("text", {x: (W + left) / 2, y: H - 6, "font-size": 12, "text-anchor": "middle"}, "steps (each costs one latency)"),
		element("text", {x: 14, y: H / 2 - 10, "font-size": 12, "text-anchor": "middle", transform: `rotate(-90 14 ${H / 2 - 10})`}, "R/C: time of large inputs"));
	for (let k = s0; k <= s1; k += Math.ceil((s1 - s0 + 1) / 16))
		svg.append(element("text", {x: x(k), y: H - bottom + 15, "font-size": 11, "text-anchor": "middle"}, String(k)));
	svg.append(element("polyline", {class: "link", points: p.flatMap((q, i) => (i ? [`${x(q.steps)},${y(p[i - 1].rate)}`] : []).concat(`${x(q.steps)},${y(q.rate)}`)).join(" ")}));
	function open(i, used) {
		if (used) active = null;
		marks.forEach((m, k) => m.classList.toggle("on", k === i));
		const q = p[i];
		detail.replaceChildren(element("h2", {}, `The point ${q.cost}`), element("p", {}, q.proved),
			q.algorithm ? playerSection({algorithm: q.algorithm, machine: s.machine}) : element("p", {class: "soft"}, "Too large for this page: sccl-synth show prints it."));
	}
	p.forEach((q, i) => {
		const mark = element("circle", {class: "point", cx: x(q.steps), cy: y(q.rate), r: 7, tabindex: 0, role: "button", "aria-label": `open the point ${q.cost}`,
			onclick: () => open(i, true), onkeydown: e => { if (e.key === "Enter") open(i, true); }}, element("title", {}, `${q.cost}: R/C = ${q.ratio}`));
		marks.push(mark);
		svg.append(mark, element("text", {x: x(q.steps) + (i === p.length - 1 ? 6 : 10), y: y(q.rate) - 10, "font-size": 12, "text-anchor": x(q.steps) > W - 90 ? "end" : "start"}, q.cost));
	});
	if (p.length) open(0);
	return element("div", {}, element("div", {class: "box"}, svg, element("p", {class: "legend"},
		"A dot is an algorithm (C,S,R): C chunks of each input, S steps, R rounds. Click one, or go to it with Tab and press Enter, to open it.")), detail);
}

function chartSection(s) {
	const W = narrow ? 400 : 640, H = 300, left = 58, bottom = 36, values = s.series.flatMap(c => c.y).filter(v => v > 0);
	const lx = Math.log(s.x[0]), hx = Math.log(s.x[s.x.length - 1]), ly = Math.log(Math.min(...values)), hy = Math.log(Math.max(...values));
	const x = v => left + (W - left - 14) * (hx > lx ? (Math.log(v) - lx) / (hx - lx) : 0.5), y = v => 8 + (H - bottom - 14) * (hy > ly ? (hy - Math.log(v)) / (hy - ly) : 0.5);
	const svg = element("svg", {viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": s.title, style: "max-width:860px"},
		element("line", {class: "axis", x1: left, x2: W - 6, y1: H - bottom, y2: H - bottom}), element("line", {class: "axis", x1: left, x2: left, y1: 6, y2: H - bottom}));
	s.x.forEach((v, i) => { if (i % Math.ceil(s.x.length / (narrow ? 5 : 8)) === 0) svg.append(element("text", {x: x(v), y: H - bottom + 15, "font-size": 11, "text-anchor": "middle"}, bytes(v))); });
	for (let e = Math.ceil(ly / Math.LN10); e <= hy / Math.LN10; e++)
		svg.append(element("line", {class: "link", x1: left, x2: W - 6, y1: y(10 ** e), y2: y(10 ** e)}), element("text", {x: left - 5, y: y(10 ** e) + 4, "font-size": 11, "text-anchor": "end"}, String(+(10 ** e).toPrecision(1))));
	svg.append(element("text", {x: (W + left) / 2, y: H - 4, "font-size": 12, "text-anchor": "middle"}, "bytes of one rank's input"));
	const color = i => `hsl(${(i * 137 + 210) % 360} 65% 50%)`;
	s.series.forEach((c, i) => svg.append(element("polyline", {fill: "none", stroke: color(i), "stroke-width": 2, "stroke-dasharray": i > 5 ? "7 3" : null, points: c.y.map((v, k) => v > 0 ? `${x(s.x[k]).toFixed(1)},${y(v).toFixed(1)}` : "").join(" ")},
		element("title", {}, c.name))));
	return element("div", {class: "box"}, element("h2", {}, s.title), svg, element("p", {class: "legend"}, ...s.series.flatMap((c, i) => {
		const mark = element("span", {}, "■ ");
		mark.style.color = color(i);
		return [element("span", {class: "name"}, mark, c.name), "  "];
	})));
}

/* Columns of words are aligned at the left, those of numbers at the right. */
function tableSection(s) {
	const kind = i => (s.wide && s.wide.includes(i) ? "wide " : "") + (s.rows.some(r => /[a-z]/i.test(String(r[i])) && !/^[-.\d]/.test(String(r[i]))) ? "left" : "");
	const kinds = s.head.map((_, i) => kind(i));
	return element("div", {}, s.title ? element("h2", {}, s.title) : null, s.note ? element("p", {class: "soft"}, s.note) : null, element("div", {class: "scroll"}, element("table", {},
		element("thead", {}, element("tr", {}, ...s.head.map((h, i) => element("th", {class: kinds[i] || null}, h)))),
		element("tbody", {}, ...s.rows.map(r => element("tr", {}, ...r.map((c, i) => element("td", {class: kinds[i] || null}, String(c)))))))));
}

const sections = {
	text: s => element("div", {}, ...s.lines.map(l => element("p", {}, l))),
	heading: s => element("h2", {}, s.title),
	machine: machineSection, player: s => playerSection({algorithm: s.algorithm, machine: s.algorithm.machine}), frontier: frontierSection, chart: chartSection, table: tableSection,
};
const main = document.querySelector("main");
main.append(element("h1", {}, data.title));
for (const s of data.sections) main.append(sections[s.kind](s));
document.addEventListener("keydown", e => {
	const act = active && !e.ctrlKey && !e.altKey && !e.metaKey && active.keys[e.key];
	if (!act || (e.key === " " && e.target instanceof HTMLButtonElement)) return;
	e.preventDefault();
	act();
});
document.documentElement.dataset.ready = "yes";

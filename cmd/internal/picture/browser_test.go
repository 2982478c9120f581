package picture

import (
	"bytes"
	"flag"
	"fmt"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
)

// put writes a document to a file for the browser, and returns its URL.
func put(t *testing.T, name string, doc []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(file, doc, 0o644))
	return "file://" + file
}

// keep saves a screenshot for a person, only with go test -artifacts, since each takes half a second.
func keep(t *testing.T, b *browser, name string) {
	t.Helper()
	if flag.Lookup("test.artifacts").Value.String() == "true" {
		require.NoError(t, os.WriteFile(filepath.Join(t.ArtifactDir(), name), b.screenshot(), 0o644))
	}
}

// colours counts the colours of a screenshot; a blank one has few.
func colours(t *testing.T, data []byte) int {
	t.Helper()
	picture, err := png.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	seen := map[color.Color]bool{}
	bounds := picture.Bounds()
	require.Greater(t, bounds.Dx(), 1000)
	for y := bounds.Min.Y; y < bounds.Max.Y; y += 2 {
		for x := bounds.Min.X; x < bounds.Max.X; x += 2 {
			seen[picture.At(x, y)] = true
		}
	}
	return len(seen)
}

// loopShown is the visible text of a loop on the page.
type loopShown struct {
	Numbers []string // in document order
	Near    []string // for each number, the devices at the ends of its line
	Colours []string // of the lines
	OnLoop  []string // devices framed
	Hops    []string // of the panel
	Failed  int
}

func (b *browser) loop() loopShown {
	b.t.Helper()
	var s loopShown
	b.run(`
		const boxes = [...document.querySelectorAll('#view [data-symbol]')].map(e => [e.querySelector('.label').textContent, e.querySelector('rect:last-of-type').getBBox()]);
		const at = (p) => boxes.reduce((best, [name, r]) => {
			const d = Math.hypot(Math.max(r.x - p.x, 0, p.x - r.x - r.width), Math.max(r.y - p.y, 0, p.y - r.y - r.height));
			return d < best[0] ? [d, name] : best;
		}, [Infinity, ''])[1];
		const lines = [...document.querySelectorAll('#view .loop')];
		return {
			Numbers: [...document.querySelectorAll('#view .number')].map(e => e.textContent),
			Near: lines.map(e => at(e.getPointAtLength(0)) + '>' + at(e.getPointAtLength(e.getTotalLength()))),
			Colours: lines.map(e => getComputedStyle(e).stroke),
			OnLoop: [...document.querySelectorAll('#view .onloop .label')].map(e => e.textContent).sort(),
			Hops: [...document.querySelectorAll('#hops li')].map(e => e.innerText),
			Failed: document.querySelectorAll('#view .failed').length,
		}`, &s)
	return s
}

// A person uses the page of a ring, with a loop in each direction, in a real browser.
func TestPage(t *testing.T) {
	ring := example(t, "ring-pfc-loop")
	proofs := prone(ring, loop(t, ring, "sw2>sw1 sw1>sw4 sw4>sw3 sw3>sw2", ""), loop(t, ring, "sw1>sw2 sw2>sw3 sw3>sw4 sw4>sw1", ""))
	b := openBrowser(t)
	b.open(put(t, "ring.html", HTML(ring, proofs)))

	const red = "rgb(200, 30, 30)"
	first := b.loop()
	assert.Equal(t, []string{"1", "2", "3", "4"}, first.Numbers)
	assert.Equal(t, []string{"sw2>sw1", "sw1>sw4", "sw4>sw3", "sw3>sw2"}, first.Near)
	assert.Equal(t, []string{red, red, red, red}, first.Colours)

	b.click("#loops li:nth-child(2) button")
	second := b.loop()
	assert.Equal(t, []string{"1", "2", "3", "4"}, second.Numbers)
	assert.Equal(t, []string{"sw1>sw2", "sw2>sw3", "sw3>sw4", "sw4>sw1"}, second.Near)
	assert.Equal(t, []string{red, red, red, red}, second.Colours)
	assert.Equal(t, []string{"sw1", "sw2", "sw3", "sw4"}, second.OnLoop)
	require.Len(t, second.Hops, 4)
	assert.Equal(t, "sw1:swp15 → sw2:swp16, out by swp15", second.Hops[0])
	assert.Equal(t, "2. rdma: 4 buffers, of sw2, sw3, sw4, sw1", b.text("#loops [aria-pressed=true]"))
	assert.Contains(t, b.text("#loop"), "No link needs to have failed.")
	assert.Contains(t, b.text("#loop"), "Flows that fill it:")
	assert.Contains(t, b.text("#verdicts"), "prone to PFC loops")

	// The page shows the settings of the link under the mouse, and the lines that they come from.
	var middle struct{ X, Y float64 }
	b.run(`
		const e = [...document.querySelectorAll('#view [data-bundle]')].find(e => e.getAttribute('aria-label').includes('node2:eth2'));
		const p = e.querySelector('path').getPointAtLength(e.querySelector('path').getTotalLength() / 2);
		const q = new DOMPoint(p.x, p.y).matrixTransform(document.getElementById('view').getScreenCTM());
		return {X: q.x, Y: q.y}`, &middle)
	b.pointAt(middle.X, middle.Y)
	details := b.text("#details")
	for _, want := range []string{"node2:eth2 - sw2:swp1", "100G", "10 m", "examples/ring-pfc-loop/fabric.hcl:54", "rdma headroom", "MTU"} {
		assert.Contains(t, details, want)
	}

	// Search: the match is marked, counted and in the middle. Enter shows the next match.
	b.typeKeys("#query", "node")
	assert.Equal(t, "1 of 4: node1", b.text("#found"))
	b.typeKeys("#query", "\uE007")
	assert.Equal(t, "2 of 4: node2", b.text("#found"))
	var marked struct {
		Names   []string
		Current string
		Off     float64
	}
	b.run(`
		const view = document.getElementById('view').getBoundingClientRect();
		const r = document.querySelector('.current').getBoundingClientRect();
		return {
			Names: [...document.querySelectorAll('.match .label')].map(e => e.textContent).sort(),
			Current: document.querySelector('.current .label').textContent,
			Off: Math.hypot(r.x + r.width / 2 - view.x - view.width / 2, r.y + r.height / 2 - view.y - view.height / 2),
		}`, &marked)
	assert.Equal(t, []string{"node1", "node2", "node3", "node4"}, marked.Names)
	assert.Equal(t, "node2", marked.Current)
	assert.Less(t, marked.Off, 10.0, "the match is in the middle")
	assert.Contains(t, b.text("#details"), "node2")
	b.typeKeys("#query", "zzz")
	assert.Equal(t, "nothing found", b.text("#found"))
	b.typeKeys("#query", "\uE00C") // Escape
	assert.Empty(t, b.text("#found"))

	// The wheel zooms, the mouse drags, and keys do both.
	box := func() (v [4]float64) {
		b.run("const v = document.getElementById('view').viewBox.baseVal; return [v.x, v.y, v.width, v.height]", &v)
		return v
	}
	before := box()
	b.click("#in")
	assert.InDelta(t, before[2]*0.8, box()[2], 0.01)
	b.run("document.getElementById('view').focus()", nil)
	b.typeKeys("#view", "0")
	assert.InDeltaSlice(t, before[:], func() []float64 { v := box(); return v[:] }(), 0.01)
	b.pointAt(400, 300, map[string]any{"type": "pointerDown", "button": 0},
		map[string]any{"type": "pointerMove", "duration": 20, "x": 460, "y": 300}, map[string]any{"type": "pointerUp", "button": 0})
	assert.Less(t, box()[0], before[0], "dragged to the right")
	b.call("POST", "/actions", map[string]any{"actions": []any{map[string]any{"type": "wheel", "id": "wheel", "actions": []any{
		map[string]any{"type": "scroll", "x": 400, "y": 300, "deltaX": 0, "deltaY": 240},
	}}}}, nil)
	assert.Greater(t, box()[2], before[2])

	b.click("#fit")
	keep(t, b, "ring.png")
	assert.Greater(t, colours(t, b.screenshot()), 20, "the screenshot is a picture")
	assert.Empty(t, b.errors())

	// The policy is effective: the page cannot run or load anything else.
	b.run(`
		const s = document.createElement('script'); s.textContent = 'window.broken = true'; document.body.append(s);
		const i = new Image(); i.src = 'https://example.invalid/x.png'; document.body.append(i);
		document.body.setAttribute('style', 'color: red');`, nil)
	var broken bool
	b.run("return window.broken === true || document.body.style.color === 'red'", &broken)
	assert.False(t, broken)
	assert.GreaterOrEqual(t, len(b.errors()), 2)
}

// A selected loop unfolds its switches. Piles unfold and fold by click and by key.
func TestPageFolding(t *testing.T) {
	f := irtest.LeafSpine(ir.ShortestPath, 64, 4).Fabric()
	long := make([]string, 0, 100)
	for i := 4; i < 54; i++ { // a loop with more switches than the page pins
		long = append(long, fmt.Sprintf("S%d>L%d", i%4, i), fmt.Sprintf("L%d>S%d", i, (i+1)%4))
	}
	long = append(long, "S2>L60", "L60>S0")
	b := openBrowser(t)
	b.open(put(t, "clos.html", HTML(f, prone(f,
		loop(t, f, "S0>L2 L2>S1 S1>L3 L3>S0", "L0-S1 L0-S2 L0-S3 L1-S0"), loop(t, f, strings.Join(long, " "), "")))))
	first := b.loop()
	assert.Equal(t, []string{"S0>L2", "L2>S1", "S1>L3", "L3>S0"}, first.Near)
	assert.Equal(t, 4, first.Failed)
	keep(t, b, "folded.png")
	pile := `[data-symbol].switch[role="button"]`
	symbols := func() (n int) {
		b.run("return document.querySelectorAll('#view [data-symbol]').length", &n)
		return n
	}
	folded := symbols()
	assert.Less(t, folded, 30)
	b.click(pile + " .label")
	assert.Greater(t, symbols(), folded+50)
	assert.Empty(t, b.overlaps(), "labels of unfolded devices")
	keep(t, b, "unfolded.png")
	b.click(".refold")
	assert.Equal(t, folded, symbols())
	b.run("document.querySelector(arguments[0]).focus()", nil, pile)
	assert.Contains(t, b.text("#details"), "a click unfolds them")
	b.typeKeys(pile, "\uE007")
	assert.Greater(t, symbols(), folded+50)
	b.click("#refold")
	assert.Equal(t, folded, symbols())

	b.click("#loops li:nth-child(2) button")
	second := b.loop()
	keep(t, b, "long.png")
	assert.Len(t, second.Numbers, 102)
	assert.Zero(t, second.Failed)
	assert.Equal(t, long, second.Near)
	assert.Empty(t, b.errors())
}

// overlaps returns the overlapping pairs on the screen: two labels, or a label and a symbol that it does not belong to.
func (b *browser) overlaps() []string {
	b.t.Helper()
	var out []string
	b.run(`
		const of = (e) => ({name: e.textContent, box: e.getBoundingClientRect(), home: e.closest('g')});
		const labels = [...document.querySelectorAll('.drawing .label')].map(of);
		const boxes = [...document.querySelectorAll('.switch rect, .host rect')].map(of);
		const meet = (a, b) => a.box.left < b.box.right - 0.5 && b.box.left < a.box.right - 0.5 && a.box.top < b.box.bottom - 0.5 && b.box.top < a.box.bottom - 0.5;
		const out = [];
		labels.forEach((a, i) => {
			for (const b of labels.slice(i + 1)) if (meet(a, b)) out.push(a.name + ' on ' + b.name);
			for (const b of boxes) if (a.home !== b.home && meet(a, b)) out.push(a.name + ' on the mark of ' + b.home.textContent);
			const own = boxes.filter(b => b.home === a.home).pop().box;
			if (a.box.left < own.left || a.box.right > own.right) out.push(a.name + ' does not fit its mark');
		});
		return out`, &out)
	return out
}

// Labels do not overlap and are inside of their marks, in every scene, as SVG and as page, light and dark. The page has no errors.
func TestLabelsInBrowser(t *testing.T) {
	b := openBrowser(t)
	all := scenes(t)
	for _, scheme := range []string{"light", "dark"} {
		b.scheme(scheme)
		for _, s := range all {
			if scheme == "dark" && len(s.fabric.Devices) > 10 {
				continue // only colours differ
			}
			t.Run(scheme+"/"+s.name, func(t *testing.T) {
				b := &browser{t, b.url}
				b.open(put(t, "fabric.svg", SVG(s.fabric, s.proofs)))
				assert.Empty(t, b.overlaps())
				keep(t, b, s.name+"-svg-"+scheme+".png")
				var ground string
				b.run("return getComputedStyle(document.querySelector('.paper')).fill", &ground)
				assert.Equal(t, map[string]string{"light": "rgb(255, 255, 255)", "dark": "rgb(20, 24, 30)"}[scheme], ground)
				b.open(put(t, "fabric.html", HTML(s.fabric, s.proofs)))
				assert.Empty(t, b.overlaps())
				keep(t, b, s.name+"-html-"+scheme+".png")
				if len(s.fabric.Devices) < 200 && scheme == "light" {
					b.click("#unfold")
					assert.Empty(t, b.overlaps(), "all unfolded")
					keep(t, b, s.name+"-html-unfolded.png")
				}
				assert.Empty(t, b.errors())
			})
		}
	}
}

// Two thousand devices: the page starts, and unfolds all of them.
func TestPageOf2000(t *testing.T) {
	f := clos(2000)
	require.Greater(t, len(f.Devices), 1900)
	doc := HTML(f, free(f))
	assert.Less(t, len(doc), 100_000, "bytes")
	b := openBrowser(t)
	b.open(put(t, "big.html", doc))
	b.typeKeys("#query", "T10.15")
	assert.Contains(t, b.text("#found"), "1 of")
	b.click("#unfold")
	var n int
	b.run("return document.querySelectorAll('#view [data-symbol]').length", &n)
	assert.Equal(t, len(f.Devices), n)
	keep(t, b, "big.png")
	assert.Greater(t, colours(t, b.screenshot()), 20, "the screenshot is a picture")
	assert.Empty(t, b.errors())
}

package picture

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate"
)

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageStyle string
	//go:embed unpack.js
	unpackScript string
	//go:embed page.js
	drawScript string
)

// HTML writes one page without external parts: the drawing with zoom, search, folding and every loop, and the settings of every link and
// device with their origin. Its policy makes the browser load nothing, and run only the page's script.
func HTML(f *ir.Fabric, proofs []validate.GroupProof) []byte {
	style, script := svgStyle+pageStyle, unpackScript+drawScript
	data, err := json.Marshal(newPage(draw(f, proofs)).pack()) // escapes <, > and &: it cannot end its element
	if err != nil {
		panic(err) // the types below can always be encoded
	}
	policy := fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; img-src data:; base-uri 'none'; form-action 'none'",
		digest(style), digest(script))
	return []byte(strings.NewReplacer(
		"{{policy}}", policy, "{{title}}", escape("Fabric "+f.Name), "{{headline}}", escape(headline(f)),
		"{{style}}", style, "{{script}}", script, "{{data}}", string(data),
	).Replace(pageHTML))
}

// digest returns the hash with which a content security policy permits a text in the page.
func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// page is the data of page.js, which gets it as [packed]. Devices, links, symbols and tables refer to each other by index.
type page struct {
	Rows     []pageRow
	Devices  []pageDevice  // by Device.ID
	Links    []pageLink    // by Link.ID
	Tables   [][]pageValue // settings; equal settings are listed once
	Symbols  []pageSymbol
	Base     []int // the symbols shown at first
	Loops    []pageLoop
	Verdicts []pageVerdict
}

type pageRow struct {
	Label string `json:"label"`
	Y     int    `json:"y"`
}

type pageDevice struct {
	Name  string
	Table int
}

type pageEnd struct {
	Device int
	Port   string
	Table  int
}

type pageLink struct {
	A, B              pageEnd
	Table             int
	Lossless, Planned bool
}

// pageValue is a setting: its name, its value, and where it came from.
type pageValue [3]string

type pageSymbol struct {
	Label      string
	Count      string // of one with parts
	Host       bool
	Device     int   // the first
	Parts      []int // symbols
	X, Y, W, H int
}

type pageWait struct {
	Link  int    `json:"link"`
	IntoB bool   `json:"into_b"` // the buffer is at end b of the link
	Text  string `json:"text"`
}

type pageLoop struct {
	Title string     `json:"title"`
	Hops  []pageWait `json:"hops"`
	Flows []string   `json:"flows"`
	Down  []int      `json:"down"` // links
}

type pageVerdict struct {
	Verdict string   `json:"verdict"`
	Text    string   `json:"text"`
	Notes   []string `json:"notes"`
}

// pageWriter collects a page.
type pageWriter struct {
	page
	tables map[string]int
	ports  map[portKey]int // indexes into Tables
	links  map[linkKey]int
}

// portKey contains the inputs of the settings of a port. Ports of equal links share their sizes, and links of a block share their facts,
// so few settings of a large fabric must be written and compared.
type portKey struct {
	buffers buffersKey
	facts   *ir.LinkFacts
	mtu     int
}

// linkKey contains the inputs of the settings of a link.
type linkKey struct {
	facts                                *ir.LinkFacts
	a, b                                 buffersKey
	routed, peer, bonded, planned, pause bool
}

// buffersKey names the buffers that a port shares with others.
type buffersKey struct {
	first **ir.Buffer
	n     int
}

func buffersOf(p *ir.Port) buffersKey {
	if b := p.Buffers(); len(b) > 0 {
		return buffersKey{&b[0], len(b)}
	}
	return buffersKey{}
}

func newPage(d *drawing) *page {
	w := &pageWriter{tables: map[string]int{}, ports: map[portKey]int{}, links: map[linkKey]int{}}
	w.Rows, w.Loops, w.Verdicts, w.Base = []pageRow{}, []pageLoop{}, []pageVerdict{}, []int{}
	for _, r := range d.rows {
		w.Rows = append(w.Rows, pageRow{r.label, r.y})
	}
	for _, device := range d.fabric.Devices {
		w.Devices = append(w.Devices, pageDevice{device.Name, w.table(deviceSettings(device))})
	}
	ports := make([]int, len(d.fabric.Ports))
	for i, p := range d.fabric.Ports {
		ports[i] = w.port(p)
	}
	end := func(p *ir.Port) pageEnd { return pageEnd{p.Device().ID, p.Name, ports[p.ID]} }
	for _, l := range d.fabric.Links {
		w.Links = append(w.Links, pageLink{end(l.A()), end(l.B()), w.link(l), len(lossless(l)) > 0, l.Planned})
	}
	for _, s := range d.symbols {
		w.Base = append(w.Base, w.symbol(s))
	}
	for _, c := range d.circles {
		w.Loops = append(w.Loops, newPageLoop(c))
	}
	for i := range d.proofs {
		p := &d.proofs[i]
		v := pageVerdict{string(p.Verdict), verdictText(p), []string{}}
		if p.Verdict != validate.Unknown { // otherwise the text states it
			v.Notes = append(v.Notes, p.Why())
		}
		w.Verdicts = append(w.Verdicts, pageVerdict{v.Verdict, v.Text, append(v.Notes, p.NoteTexts()...)})
	}
	return &w.page
}

func (w *pageWriter) symbol(s *symbol) int {
	i := len(w.Symbols)
	p := pageSymbol{Label: shorten(s.label, mostLetters), Host: s.host(), Device: s.devices[0].ID, X: s.x, Y: s.y, W: s.w, H: s.h}
	if len(s.devices) > 1 {
		p.Count = countText(s)
	}
	w.Symbols = append(w.Symbols, p)
	for _, part := range s.parts {
		w.Symbols[i].Parts = append(w.Symbols[i].Parts, w.symbol(part))
	}
	return i
}

func newPageLoop(c circle) pageLoop {
	l := pageLoop{Title: c.title(), Hops: []pageWait{}, Flows: []string{}, Down: []int{}}
	for _, h := range c.loop.Circle {
		l.Hops = append(l.Hops, pageWait{h.In.Link().ID, h.In.Link().B() == h.In, waitText(h)})
	}
	for _, f := range c.loop.Flows {
		l.Flows = append(l.Flows, flowText(f))
	}
	for _, link := range c.loop.Down {
		l.Down = append(l.Down, link.ID)
	}
	return l
}

// table returns the index of equal settings.
func (w *pageWriter) table(rows []pageValue) int {
	rows = slices.DeleteFunc(rows, func(r pageValue) bool { return r[1] == "" && r[2] == "" })
	var b strings.Builder
	for _, r := range rows {
		for _, cell := range r {
			b.WriteString(cell)
			b.WriteByte(0)
		}
	}
	i, known := w.tables[b.String()]
	if !known {
		i = len(w.Tables)
		w.tables[b.String()] = i
		w.Tables = append(w.Tables, slices.Concat([]pageValue{}, rows))
	}
	return i
}

// port returns the index of the settings of a port.
func (w *pageWriter) port(p *ir.Port) int {
	k := portKey{buffersOf(p), p.Link().LinkFacts, p.MTU()}
	i, known := w.ports[k]
	if !known {
		i = w.table(portSettings(p))
		w.ports[k] = i
	}
	return i
}

// link returns the index of the settings of a link.
func (w *pageWriter) link(l *ir.Link) int {
	k := linkKey{l.LinkFacts, buffersOf(l.A()), buffersOf(l.B()), l.Routed, l.Peer, l.Bond != 0, l.Planned, l.ByPause()}
	i, known := w.links[k]
	if !known {
		i = w.table(linkSettings(l))
		w.links[k] = i
	}
	return i
}

func deviceSettings(d *ir.Device) []pageValue {
	out := []pageValue{{"declared", d.Group, originText(ir.Origin{At: d.Decl})}}
	if d.Maintenance != "" {
		out = append(out, pageValue{"maintenance", d.Maintenance, originText(ir.Origin{At: d.MaintenanceAt})})
	}
	if s := d.Switch; s != nil {
		out = append(out,
			pageValue{"model", s.Model.Title, originText(ir.Origin{At: s.ModelAt})},
			pageValue{"release", strings.TrimSpace(s.OS + " " + s.Version), originText(ir.Origin{At: s.VersionAt})},
			pageValue{"tier", strconv.Itoa(s.Tier), originText(s.TierFrom)})
		if s.ASN != 0 {
			out = append(out, pageValue{"asn", strconv.Itoa(s.ASN), ""})
		}
		return out
	}
	for _, n := range d.Host.NICs {
		out = append(out, pageValue{"nic " + n.Name, n.Model.Title, originText(ir.Origin{At: n.ModelAt})})
	}
	if d.Host.Forwards {
		out = append(out, pageValue{"forwards", "true", ""})
	}
	return out
}

func linkSettings(l *ir.Link) []pageValue {
	out := []pageValue{{"declared", l.Block, originText(ir.Origin{At: l.At})}}
	out = append(out, pageValue{"speed", platform.SpeedText(l.Speed.N), originText(l.Speed.From...)})
	if l.Length.Known() {
		out = append(out, pageValue{"length", metres(l.Length.Metres), originText(l.Length.From)})
	}
	if l.Routed {
		out = append(out, pageValue{"routed", "true", ""})
	}
	if l.Peer {
		out = append(out, pageValue{"peer", "true", ""})
	}
	if l.Bond != 0 {
		out = append(out, pageValue{"bond", "true", originText(ir.Origin{At: l.BondAt})})
	}
	if l.ByPause() {
		out = append(out, pageValue{"flow control", "link pause", originText(ir.Origin{At: l.FlowControlAt})})
	}
	if l.Planned {
		out = append(out, pageValue{"planned", "true", originText(ir.Origin{At: l.PlannedAt})})
	}
	groups := "none: every frame may be dropped"
	if g := lossless(l); len(g) > 0 {
		groups = strings.Join(g, ", ")
	}
	return append(out, pageValue{"lossless", groups, ""})
}

func portSettings(p *ir.Port) []pageValue {
	var out []pageValue
	if p.MTU() > 0 {
		out = append(out, pageValue{"MTU", strconv.Itoa(p.MTU()), originText(ir.Origin{At: p.Device().Fabric.MTUAt})})
	}
	for _, b := range p.Buffers() {
		name := b.Group.Name + " "
		if !b.Size.Set() { // a NIC: its driver sizes its own buffers
			out = append(out, pageValue{name + "pfc", "on", originText(ir.Origin{At: b.Group.LosslessAt, Why: "sized by the NIC's driver"})})
			continue
		}
		out = append(out,
			pageValue{name + "buffer", diag.Bytes(b.Size.N), originText(b.Size.On(p.Link()).From...)},
			pageValue{name + "xoff", diag.Bytes(b.Xoff.N), originText(b.Xoff.On(p.Link()).From...)},
			pageValue{name + "headroom", diag.Bytes(b.Headroom()), fmt.Sprintf("buffer - xoff; %s needed", diag.Bytes(b.Need))})
	}
	return out
}

// originText returns the origin, such as "fabric.hcl:31 cable of 30 m; Spectrum: cells of 96 B".
func originText(from ...ir.Origin) string {
	var parts []string
	for _, o := range from {
		if s := strings.TrimSpace(place(o.At) + " " + o.Why); s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, "; ")
}

package trace

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/cmd/internal/view/facts"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/validate"
	"github.com/rocec/rocec/validate/walk"
)

// A line of a trace begins with "!!" if losslessness breaks there, and with " !" if it is at risk. The text of validate follows below,
// once in each direction.

// traceView prints traces.
type traceView struct {
	*view.Screen
	*Sayings
	Verbose bool
	told    map[*diag.Diagnostic]bool // findings printed in this direction
	alike   *Alike                    // the trace that is being printed
}

// Text prints traces, with the links that are assumed to be down. A verbose text includes the findings that comments silence.
func (s *Sayings) Text(to *view.Screen, verbose bool, down []*ir.Link, traces []*Alike) {
	v := &traceView{Screen: to, Sayings: s, Verbose: verbose}
	if len(down) > 0 {
		var names []string
		for _, l := range down {
			names = append(names, fmt.Sprintf("%s - %s", l.A(), l.B()))
		}
		v.lines(noMark, "down     ", "", names, ", ", diag.Range{})
		fmt.Fprintln(v.Raw)
	}
	for i, t := range traces {
		if i > 0 {
			fmt.Fprintln(v.Raw)
		}
		v.alike = t
		v.walk(t.Data)
		fmt.Fprintln(v.Raw)
		if t.CNP == nil {
			fmt.Fprintf(v.Raw, "%s\n   none: %s\n", v.style(diag.Bold, v.title(true)), t.NoCNP)
			continue
		}
		v.walk(t.CNP)
	}
}

func (v *traceView) title(back bool) string {
	from := ends(v.alike.of, func(t *walk.Trace) []*ir.Port { return t.From })
	to := ends(v.alike.of, func(t *walk.Trace) []*ir.Port { return t.To })
	if back {
		return fmt.Sprintf("%s, congestion notifications: %s to %s", v.alike.Intent.Name, to, from)
	}
	return fmt.Sprintf("%s, data: %s to %s", v.alike.Intent.Name, from, to)
}

// endText returns the ports of one end: gpu001:ens1f0, or gpu001:bond0.
func endText(ports []*ir.Port) string {
	if p := ports[0]; len(ports) > 1 {
		return p.Device().Name + ":" + p.NIC.Bond.Name
	}
	return ports[0].String()
}

// walk prints one direction.
func (v *traceView) walk(w *walk.Walk) {
	v.told = map[*diag.Diagnostic]bool{}
	fmt.Fprintln(v.Raw, v.style(diag.Bold, v.title(w.CNP)))
	if len(v.alike.of) > 1 && !w.CNP {
		v.lines(noMark, "pairs    ", "", pairsText(v.alike.of), "; ", diag.Range{})
	}
	in := v.alike.Intent
	v.lines(noMark, "packet   ", "", packetText(in, w), ", ", in.VersionAt)
	if g := w.Group; g != nil {
		v.lines(noMark, "in       ", "", []string{groupText(g), v.promise(w)}, ", ", g.At)
	}
	v.lines(noMark, "ways     ", "", v.waysText(w), "; ", v.fabric.RoutingAt)
	label := 0
	for _, h := range w.Hops {
		label = max(label, min(utf8.RuneCountInString(v.hopName(h)), 24))
	}
	fmt.Fprintln(v.Raw)
	for _, h := range w.Hops {
		v.hop(w, h, label)
	}
	v.verdict(w)
}

// promise returns a text about the service that packets of a walk get.
func (v *traceView) promise(w *walk.Walk) string {
	switch {
	case w.CNP && w.Group.Lossless:
		return "lossless, which CNPs should not be"
	case w.CNP && w.Group.Strict:
		return "lossy and served first"
	case !w.Promised:
		return "lossy"
	case v.fabric.FlowControl == ir.Pause:
		return "lossless by link pause"
	case slices.ContainsFunc(w.Hops, someByPause):
		return "lossless by PFC and link pause"
	}
	return "lossless by PFC"
}

// someByPause reports whether packets leave a hop by a cable with link pause.
func someByPause(h *walk.Hop) bool {
	return slices.ContainsFunc(h.Out, func(l *walk.Lane) bool { return l.Ports[0].ByPause() })
}

func groupText(g *ir.CosGroup) string { return fmt.Sprintf("cos group %s, cos %d", g.Name, g.Cos) }

// packetText returns the marks of the packet.
func packetText(in *ir.Intent, w *walk.Walk) []string {
	out := []string{fmt.Sprintf("RoCEv%d", in.Version)}
	if w.CNP {
		out[0] = "CNP"
	}
	return append(append(out, marks(w.Packet)...), sizes(w)...)
}

func marks(p ir.Packet) []string {
	var out []string
	if p.IP {
		out = append(out, fmt.Sprintf("DSCP %d", p.DSCP))
	}
	if p.Tagged {
		return append(out, fmt.Sprintf("tagged with PCP %d", p.PCP))
	}
	return append(out, "untagged")
}

func sizes(w *walk.Walk) []string {
	if w.Size == 0 {
		return nil
	}
	return []string{fmt.Sprintf("up to %d B", w.Size)}
}

// waysText states the number of paths, their length, and the routing.
func (v *traceView) waysText(w *walk.Walk) []string {
	var out []string
	cables := diag.Count(w.Cables, "cable")
	if w.Most > w.Cables {
		cables = fmt.Sprintf("%d to %d cables", w.Cables, w.Most)
	}
	switch {
	case w.Cables < 0:
		return []string{"none"}
	case w.Ways == 0:
		out = []string{"some run in circles"}
	case w.Ways == walk.MaxWays:
		out = []string{"more than can be counted", cables}
	case w.Ways == 1:
		out = []string{"1, " + cables}
	default:
		out = []string{strconv.FormatUint(w.Ways, 10) + ", each of " + cables}
	}
	if v.fabric.Routing != "" {
		out = append(out, "routing "+string(v.fabric.Routing))
	}
	if w.Every {
		out = append(out, "every path is possible, the shortest are shown")
	}
	if w.Mixed != "" {
		out = append(out, "which are taken depends on "+validate.MixtureText(w.Mixed))
	}
	return out
}

// traceNames is the maximum of bytes for names of devices or ports in a line of a trace.
const traceNames = 48

// hopName returns the devices of a hop: "leaf01", "one of 4: spine[1-4]", or "leaf[1-8]" for grouped traces that each pass a different
// device.
func (v *traceView) hopName(h *walk.Hop) string {
	if len(h.Devices) == 1 {
		return h.Devices[0].Name
	}
	var names []string
	for _, d := range h.Devices {
		names = append(names, d.Name)
	}
	text := nodeset.Text(names, nodeset.Devices, traceNames)
	if each := v.alike.each[h]; each > 1 {
		return fmt.Sprintf("one of %d: %s", each, text)
	}
	return text
}

// hop prints one hop: the field that decides, then the incoming and outgoing ports.
func (v *traceView) hop(w *walk.Walk, h *walk.Hop, label int) {
	name := v.hopName(h)
	pad := strings.Repeat(" ", max(0, label-utf8.RuneCountInString(name))+2)
	sorted := fmt.Sprintf("%s -> %s", h.Sort.By, sortText(h.Sort))
	if h.Devices[0].ByHand != nil {
		sorted += ", set by hand"
	}
	if h.Group != nil && h.Sort.Cos != h.Group.Cos {
		sorted += ", meant for " + groupText(h.Group)
	}
	all := v.Of(h.Findings)
	v.lines(mark(all), name+pad, diag.Bold, []string{sorted}, "", h.Sort.At)
	v.findings(all)
	for _, l := range h.In {
		all := v.Of(l.Findings)
		v.lines(mark(all), "    in   ", "", append([]string{portNames(l)}, v.inText(w, l)...), "; ", l.Ports[0].At)
		v.findings(all)
	}
	for _, l := range h.Out {
		all := v.Of(l.Findings)
		parts := append([]string{portNames(l) + ", " + cableText(l)}, v.outText(w, h, l)...)
		v.lines(mark(all), "    out  ", "", parts, "; ", l.Ports[0].At)
		v.findings(all)
	}
}

func sortText(s ir.Sorting) string {
	switch {
	case s.Group != nil:
		return groupText(s.Group)
	case s.Cos < 0:
		return "no cos group"
	}
	return fmt.Sprintf("cos %d, in no cos group", s.Cos)
}

func portNames(l *walk.Lane) string {
	var names []string
	for _, p := range l.Ports {
		names = append(names, p.Name)
	}
	return nodeset.Text(names, nodeset.Interfaces, traceNames)
}

func cableText(l *walk.Lane) string {
	s := platform.SpeedText(l.Speed)
	if l.Metres > 0 {
		s += " " + facts.Metres(l.Metres) + " m"
	}
	if l.Planned {
		s += ", planned"
	}
	return s
}

// inText states which sender is paused, and the room for packets that still arrive.
func (v *traceView) inText(w *walk.Walk, l *walk.Lane) []string {
	if !w.Promised || l.Group == nil || !l.Group.Lossless {
		return []string{"from " + peers(l)}
	}
	what := fmt.Sprintf(" for priority %d", l.Group.Cos)
	switch {
	case v.fabric.FlowControl == ir.Pause:
		what = ""
	case l.Ports[0].ByPause():
		what = " by link pause"
	}
	out := []string{"pauses " + peers(l) + what}
	switch {
	case l.Unknown:
		out[0] = "no file states whether it pauses " + peers(l) + what
	case !l.Pauses:
		out[0] = "does not pause " + peers(l) + what
	}
	switch {
	case l.Ports[0].NIC != nil:
		out = append(out, "the NIC's driver sizes its buffer")
	case !l.Buffered:
		out = append(out, "no buffer")
	case l.Kept.Known():
		out = append(out, fmt.Sprintf("headroom %d of %d B needed", l.Kept.Value, l.Need))
	case !l.Sized && l.Read:
		out = append(out, fmt.Sprintf("no file states its headroom, %d B needed", l.Need))
	case !l.Sized:
		out = append(out, "headroom "+facts.SetByHand(l.Need))
	default:
		out = append(out, fmt.Sprintf("xoff %d B", l.Xoff), fmt.Sprintf("headroom %d of %d B needed", l.Headroom(), l.Need))
		if l.Pool > 0 {
			out = append(out, fmt.Sprintf("from a pool of %d B for all ports", l.Pool))
		}
	}
	return out
}

// peers names the devices at the other ends of a lane, or their group if that is shorter.
func peers(l *walk.Lane) string {
	var names []string
	for _, p := range l.Ports {
		names = append(names, p.Peer().Device().Name)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if short := nodeset.Text(names, nodeset.Devices, math.MaxInt); len(short) <= 24 {
		return short
	}
	return fmt.Sprintf("%d of %s", len(names), diag.And(l.Peers()))
}

// outText states the queue, the marking, and the device whose pauses are obeyed.
func (v *traceView) outText(w *walk.Walk, h *walk.Hop, l *walk.Lane) []string {
	var out []string
	if h.Devices[0].Switch != nil {
		out = append(out, queued(h, l).text())
	}
	if l.Group != h.Group && l.Group != nil {
		out = append(out, "goes up again, so in "+groupText(l.Group)+" from here on")
	}
	if l.Marks && !w.CNP {
		ecn := fmt.Sprintf("ECN %d to %d B, %d %%", l.Min, l.Max, l.Probability)
		if l.Read && l.Max == 0 {
			ecn = "ECN with thresholds that no file states"
		}
		out = append(out, ecn)
	}
	if w.CNP && heldAt(l) {
		return append(out, "link pause: waits with the rest")
	}
	if w.Promised && l.Group != nil && l.Group.Lossless {
		switch {
		case l.Unknown:
			return append(out, "no file states whether it obeys pauses")
		case l.Pauses:
			return append(out, "obeys pauses")
		}
		return append(out, "obeys no pauses")
	}
	return out
}

// queue is the queue in which packets wait.
type queue struct {
	cos    int // its number; -1: unknown
	group  *ir.CosGroup
	strict bool
	weight int // 0: none, or unknown
}

func queued(h *walk.Hop, l *walk.Lane) queue {
	q := queue{cos: h.Sort.Cos, group: h.Sort.Group}
	if l.Group != h.Group {
		q.group = l.Group
	}
	if q.group == nil {
		return q
	}
	q.cos, q.strict, q.weight = q.group.Cos, q.group.Strict, q.group.Weight
	if l.Read {
		q.weight = l.Share.Value
	}
	if l.Queue.Known() {
		q.cos = int(l.Queue.Value)
	}
	if l.Strict.Known() {
		q.strict = l.Strict.Value
	}
	return q
}

func (q queue) text() string {
	switch {
	case q.cos < 0:
		return "some queue"
	case q.strict:
		return fmt.Sprintf("queue %d, strict", q.cos)
	case q.weight > 0:
		return fmt.Sprintf("queue %d, weight %d", q.cos, q.weight)
	}
	return fmt.Sprintf("queue %d", q.cos)
}

const (
	noMark    = "   "
	breakMark = "!! "
	riskMark  = " ! "
)

// mark returns the mark before a line with findings. Findings that a comment silences add no mark.
func mark(all []Said) string {
	m := noMark
	for _, d := range all {
		if d.Breaks() {
			return breakMark
		}
		if d.ignored == nil {
			m = riskMark
		}
	}
	return m
}

// findings prints the findings that are not printed yet in this direction.
func (v *traceView) findings(all []Said) {
	const indent = "         "
	for _, d := range all {
		switch {
		case d.ignored != nil && (!v.Verbose || v.told[d.Diagnostic]):
			continue
		case v.told[d.Diagnostic]:
			v.lines(mark([]Said{d}), indent, "", []string{d.Code + ", as above"}, "", diag.Range{})
			continue
		}
		v.told[d.Diagnostic] = true
		if d.ignored != nil {
			v.lines(noMark, indent, "", strings.Fields(fmt.Sprintf("ignored[%s]: %s", d.Code, d.Summary)), " ", d.At)
			v.lines(noMark, indent, "", strings.Fields("reason: "+d.ignored.Reason), " ", diag.Range{})
			continue
		}
		if !v.lines(mark([]Said{d}), indent, "", strings.Fields(fmt.Sprintf("%s[%s]: %s", d.Severity, d.Code, d.Summary)), " ", d.At) {
			v.lines(noMark, indent, "", []string{"at " + report.Place(d.At)}, "", diag.Range{})
		}
		v.lines(noMark, indent, "", strings.Fields(d.Detail), " ", diag.Range{})
		if d.Fix != nil && !d.Fix.Told {
			var help strings.Builder
			help.WriteString("help: " + d.Fix.Message)
			for _, e := range d.Fix.Edits {
				help.WriteString(fmt.Sprintf("; at line %d write %s", max(e.At.Start.Line, 1), e.New))
			}
			v.lines(noMark, indent, "", strings.Fields(help.String()), " ", diag.Range{})
		}
	}
}

// verdict prints the last line of a direction.
func (v *traceView) verdict(w *walk.Walk) {
	errors, risks, ignored := map[*diag.Diagnostic]bool{}, map[*diag.Diagnostic]bool{}, map[*diag.Diagnostic]bool{}
	for _, d := range v.Of(w.Findings()) {
		switch {
		case d.ignored != nil:
			ignored[d.Diagnostic] = true
		case !d.finding.Breaks && d.Severity == diag.Error:
			errors[d.Diagnostic] = true
		case !d.finding.Breaks:
			risks[d.Diagnostic] = true
		}
	}
	text := "no hop breaks losslessness"
	doubts := doubts(v.Sayings, w)
	switch {
	case w.CNP && len(doubts) > 0:
		text = "not known: " + diag.And(doubts)
	case w.CNP:
		text = "no hop delays the notifications"
		if held := heldUp(w); held != nil {
			text = "on cables with link pause the notifications wait with other packets: out of " + diag.Some(held, mostHeld)
		}
	case !w.Promised:
		text = "the cos group is lossy, as configured"
	case len(doubts) > 0:
		text = "not known: " + diag.And(doubts)
	case v.fabric.FlowControl != ir.Pause && slices.ContainsFunc(w.Hops, lossy):
		text = "not lossless, as configured: these packets are in another cos group"
	default:
		if under := conditions(v.Sayings, w); len(under) > 0 {
			text += " " + diag.And(under)
		}
	}
	at, style := diag.Range{}, diag.Green
	if w.CNP && heldUp(w) != nil || len(doubts) > 0 {
		style = diag.Yellow
	}
	if d := v.firstBreak(w); d != nil {
		text = fmt.Sprintf("first break: at %s, %s: %s", d.finding.Device.Name, d.Code, d.Summary)
		at, style = d.At, diag.Red
	} else {
		if len(errors) > 0 {
			text += ", " + diag.Count(len(errors), "error")
			style = diag.Yellow
		}
		if len(risks) > 0 {
			text += ", " + diag.Count(len(risks), "risk")
			style = diag.Yellow
		}
	}
	if len(ignored) > 0 {
		text += fmt.Sprintf(" (%s ignored by comments)", diag.Count(len(ignored), "finding"))
	}
	fmt.Fprintln(v.Raw)
	words := strings.Fields(text)
	if !v.lines("=> ", words[0]+" ", style, words[1:], " ", at) {
		v.lines("   ", "", "", []string{"at " + report.Place(at)}, "", diag.Range{})
	}
}

// mostHeld is the maximum number of lanes that the verdict names.
const mostHeld = 4

// heldUp names the ports at which notifications wait for link pause, lane by lane.
func heldUp(w *walk.Walk) []string {
	var out []string
	for _, h := range w.Hops {
		for _, l := range h.Out {
			if heldAt(l) {
				var names []string
				for _, d := range h.Devices {
					names = append(names, d.Name)
				}
				out = append(out, nodeset.Text(names, nodeset.Devices, traceNames)+":"+portNames(l))
			}
		}
	}
	return out
}

// heldAt reports whether a pause from the other end stops all cos groups on a lane.
func heldAt(l *walk.Lane) bool {
	return l.Pauses && slices.ContainsFunc(l.Ports, (*ir.Port).ByPause)
}

func (v *traceView) style(style, s string) string {
	return diag.Paint(v.Color && style != "", style, diag.Escape(s))
}

// lines prints parts after a head in a style, with their place at the right, and wraps between parts. It reports whether there was room
// for the place, if any.
func (v *traceView) lines(gutter, head, style string, parts []string, between string, at diag.Range) (placed bool) {
	placed = at.Filename == ""
	used := len(gutter) + utf8.RuneCountInString(head)
	indent := strings.Repeat(" ", used)
	line := v.style(gutterStyle(gutter), gutter) + v.style(style, head)
	for i, p := range parts {
		p = diag.Escape(p)
		if i+1 < len(parts) {
			p += strings.TrimRight(between, " ")
		}
		if i > 0 && used+1+utf8.RuneCountInString(p) > v.Width {
			fmt.Fprintln(v.Raw, strings.TrimRight(line, " "))
			line, used = indent, len(indent)
		} else if i > 0 {
			line, used = line+" ", used+1
		}
		line, used = line+p, used+utf8.RuneCountInString(p)
	}
	for _, place := range places(at) {
		if room := v.Width - used - utf8.RuneCountInString(place); room >= 2 {
			line += strings.Repeat(" ", min(room, max(2, placeColumn-used))) + diag.Paint(v.Color, diag.Dim, diag.Escape(place))
			placed = true
			break
		}
	}
	fmt.Fprintln(v.Raw, strings.TrimRight(line, " "))
	return placed
}

// gutterStyle returns the style of the mark before a line; empty: none.
func gutterStyle(gutter string) string {
	switch gutter {
	case breakMark:
		return diag.Red
	case riskMark:
		return diag.Yellow
	}
	return ""
}

// placeColumn is the column of places, if there is room.
const placeColumn = 72

// places returns the forms of a place: the full path first, then only the file.
func places(at diag.Range) []string {
	if at.Filename == "" {
		return nil
	}
	line := ":" + strconv.Itoa(at.Start.Line)
	return []string{at.Filename + line, path.Base(at.Filename) + line}
}

package settings

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
)

// Rule judges one subject on every system.
type Rule struct {
	diag.Topic
	theirs bool          // a linter that reports the code judges the whole subject on its system
	ports  func(p *pass) // judges one kind of ports
	whole  func(p *pass) // judges the device

	several func(all []*member) []*contrast // judges two or more devices; such a rule has no ports and no whole
}

// Sink receives findings. Omit reports whether a code has reached its bound, and then counts the omitted finding.
type Sink interface {
	Omit(t *diag.Topic) bool
	Report(sev diag.Severity, t *diag.Topic, at diag.Range, format string, args ...any) *diag.Diagnostic
}

// kind has ports with equal settings.
type kind struct {
	ports    []string // in natural order; none: every port without separate settings
	others   bool     // some port has separate settings
	s        *ir.PortSettings
	d        ir.PortDetail
	lossless uint8 // priorities with PFC; all under link pause
}

// kindsOf returns the kinds of ports of a device, in the order of their first port.
func kindsOf(s *ir.Settings) []kind {
	if s == nil {
		return nil
	}
	by := map[*ir.PortSettings]int{}
	var out []kind
	add := func(port string, of *ir.PortSettings) {
		i, known := by[of]
		if !known {
			i = len(out)
			by[of] = i
			k := kind{s: of, d: of.Detail.Get(), others: len(s.Ports) > 0}
			if of.PausesKnown {
				k.lossless = of.Sends | of.Obeys
			}
			out = append(out, k)
		}
		if port != "" {
			out[i].ports = append(out[i].ports, port)
		}
	}
	for _, port := range slices.SortedFunc(maps.Keys(s.Ports), nodeset.Compare) {
		add(port, s.Ports[port])
	}
	if s.Rest != nil {
		add("", s.Rest)
	}
	return out
}

// sample returns the port by which places of a kind are found; empty: any port.
func (k *kind) sample() string {
	if len(k.ports) == 0 {
		return ""
	}
	return k.ports[0]
}

// pass is a run of the rules over a device.
type pass struct {
	*Reading
	rule  *Rule
	kinds []kind
	gets  uint8 // mask of the cos that a packet may get at some port
	kind  *kind
	found map[key]*finding
}

// key has what findings about several ports have in common.
type key struct {
	sev  diag.Severity
	text string
	at   diag.Range
}

type finding struct {
	ports  []string
	rest   bool // also about every other port
	others bool
	device bool
	taken  bool // a linter had this finding under another code
}

// pfc calls do for each priority with PFC of the kind, with its egress queue and the group that buffers it; -1: unknown. Under link pause
// it does not call do.
func (p *pass) pfc(do func(cos, queue, group int)) {
	if p.kind.s.LinkPause {
		return
	}
	for cos := range 8 {
		if p.kind.lossless>>cos&1 == 1 {
			do(cos, int(p.kind.d.Queue[cos]), int(p.kind.d.Group[cos]))
		}
	}
}

func (p *pass) at(f ir.Field, index int) place { return place{p.kind.sample(), f, index} }

func (p *pass) pool(name string) place { return place{name, ir.FieldPool, 0} }

// errorf, warnf and noticef record a finding. The text follows "At swp1 and swp2, "; for a whole device it is a sentence.
func (p *pass) errorf(at place, format string, args ...any) { p.note(diag.Error, at, format, args) }

func (p *pass) warnf(at place, format string, args ...any) { p.note(diag.Warning, at, format, args) }

func (p *pass) noticef(at place, format string, args ...any) { p.note(diag.Notice, at, format, args) }

// tookOver records a finding that a linter reported under another code before, on some systems. Baselines there contain that code.
func tookOver(p *pass, sev diag.Severity, at place, format string, args ...any) {
	if f := p.note(sev, at, format, args); f != nil {
		f.taken = true
	}
}

func (p *pass) note(sev diag.Severity, at place, format string, args []any) *finding {
	if p.Only != nil && !p.Only(at.field, at.index) {
		return nil
	}
	r, stands := p.rangeOf(at)
	line := r.Start.Line
	if !stands || p.rule.theirs {
		line = 0
	}
	if p.Judged != nil && p.Judged(p.rule.Code, sev, r.Filename, line) {
		return nil
	}
	k := key{sev, fmt.Sprintf(format, args...), r}
	f := p.found[k]
	if f == nil {
		f = &finding{device: p.kind == nil}
		p.found[k] = f
	}
	if p.kind != nil {
		f.ports = append(f.ports, p.kind.ports...)
		f.rest = len(p.kind.ports) == 0 // the kind without names is the last one
		f.others = p.kind.others
	}
	return f
}

// rangeOf returns the place of a value. Without one, it returns the place of the value that makes the port lossless, or the top of the
// configuration.
func (p *pass) rangeOf(at place) (r diag.Range, stands bool) {
	if p.Where == nil {
		return p.At, false
	}
	if r, ok := p.Where(at.port, at.field, at.index); ok {
		return r, true
	}
	if p.kind != nil {
		for cos := range 8 {
			if p.kind.lossless>>cos&1 == 0 {
				continue
			}
			if r, ok := p.Where(at.port, ir.FieldPauses, cos); ok {
				return r, false
			}
		}
	}
	return p.At, false
}

// report passes the findings of the rule to the sink, in the order of places.
func (p *pass) report(to Sink) {
	keys := slices.Collect(maps.Keys(p.found))
	sort.Slice(keys, func(i, k int) bool {
		a, b := &keys[i], &keys[k]
		return cmp.Or(diag.ComparePlace(a.at, b.at), cmp.Compare(a.sev, b.sev), strings.Compare(a.text, b.text)) < 0
	})
	for _, k := range keys {
		if to.Omit(&p.rule.Topic) {
			continue
		}
		d := to.Report(k.sev, &p.rule.Topic, k.at, "%s", diag.Escape(p.found[k].sentence(k.text)))
		if p.found[k].taken && p.Before != nil {
			d.Formerly = p.Before(p.rule.Code)
		}
	}
	clear(p.found)
}

// mostNamed bounds the ports that a finding names.
const mostNamed = 8

func (f *finding) sentence(text string) string {
	first, n := utf8.DecodeRuneInString(text)
	switch {
	case f.device:
		return string(unicode.ToUpper(first)) + text[n:]
	case len(f.ports) == 0 && f.others:
		return "At every other port, " + text
	case len(f.ports) == 0:
		return "At every port, " + text
	}
	slices.SortFunc(f.ports, nodeset.Compare)
	ports := diag.Some(slices.Compact(f.ports), mostNamed)
	if f.rest {
		ports += " and every other port"
	}
	return "At " + ports + ", " + text
}

// told reports whether a trusted DSCP value leads to a cos, as RoCEv2 needs it; false if that is not known.
func (k *kind) told(cos int) bool {
	return k.s.TrustKnown && k.s.Trust.DSCP && slices.Contains(k.s.DSCP[:], int8(cos))
}

// known returns a value, and whether it is known.
func known[T comparable](s ir.Setting[T]) (v T, ok bool) { return s.Value, s.Known() }

// is reports whether a value is known to be v.
func is[T comparable](s ir.Setting[T], v T) bool { return s.Known() && s.Value == v }

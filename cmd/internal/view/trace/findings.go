// Package trace prints the paths of packets between hosts, with the findings of validate at each hop, as text and as a [Document] of JSON.
package trace

import (
	"fmt"
	"slices"

	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/compiler"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/validate"
	"github.com/rocec/rocec/validate/walk"
)

// A trace prints its findings with the text of validate. It finds the diagnostic of the same fact in the pipeline, by code and place. For
// a fact that is true only while links are down, it calls the function that makes the diagnostic.

// Said is a finding of a walk with its diagnostic.
type Said struct {
	*diag.Diagnostic
	finding *walk.Finding
	ignored *lang.Ignore // the comment that silences it; nil: none
}

// Breaks reports whether the finding breaks losslessness. A finding that a comment silences does not count, as it does not fail validate.
func (s *Said) Breaks() bool { return s.finding.Breaks && s.ignored == nil }

// Sayings finds the diagnostics for findings of traces through one fabric.
type Sayings struct {
	fabric *ir.Fabric
	known  map[Fact][]Said
	made   map[madeKey]*diag.Diagnostic
	read   map[*walk.Finding]*diag.Diagnostic // findings in files of devices; nil: no file was read

	refusing bool // some device cannot be written
	errors   map[*ir.Device]diag.List
}

// madeKey is the key of findings that no stage has reported. Findings with the same key are printed once.
type madeKey struct {
	Fact
	intent   *ir.Intent
	from, to *ir.NIC
}

// Fact is the code and the place that a finding and its diagnostic share.
type Fact struct {
	Code string
	At   diag.Range
}

func New(f *report.Report) *Sayings {
	s := &Sayings{fabric: f.Fabric, known: map[Fact][]Said{}, made: map[madeKey]*diag.Diagnostic{}, errors: map[*ir.Device]diag.List{}}
	add := func(d *diag.Diagnostic, by *lang.Ignore) {
		if d.Aside {
			return
		}
		k := Fact{d.Code, d.At}
		s.known[k] = append(s.known[k], Said{Diagnostic: d, ignored: by})
	}
	for _, d := range f.Diags {
		add(d, nil)
		ofTargets := func(t diag.Topic) bool { return t.Code == d.Code }
		s.refusing = s.refusing || d.Severity == diag.Error && slices.ContainsFunc(targets.Topics, ofTargets)
	}
	for _, i := range f.Ignored {
		add(i.Diagnostic, i.By)
	}
	return s
}

// Of returns the diagnostics of findings, in their order. It leaves out a risk that no stage has reported, because the check of its code
// has accepted it. It never leaves out a break.
func (s *Sayings) Of(findings []*walk.Finding) []Said {
	var out []Said
	for _, x := range findings {
		if d := s.read[x]; d != nil {
			out = append(out, Said{Diagnostic: d, finding: x})
			continue
		}
		k := Fact{x.Code, x.At}
		if known := s.reported(x); len(known) > 0 {
			i := slices.IndexFunc(known, func(d Said) bool { return slices.Contains(d.Intents, x.Intent.Name) })
			d := known[max(i, 0)] // if several are about one line, the one for the intent
			d.finding = x
			out = append(out, d)
			continue
		}
		once := madeKey{k, x.Intent, x.From, x.To}
		d, made := s.made[once]
		if !made {
			d = s.say(x)
			s.made[once] = d
		}
		if d != nil {
			out = append(out, Said{Diagnostic: d, finding: x})
		}
	}
	return out
}

// reported returns the diagnostics with the code and place of a finding. A by_hand block applies to all NICs of a host, and validate
// reports it for the first of them.
func (s *Sayings) reported(x *walk.Finding) []Said {
	if known := s.known[Fact{x.Code, x.At}]; len(known) > 0 || x.Device.Host == nil || x.Device.ByHand == nil {
		return known
	}
	for _, n := range x.Device.Host.NICs {
		if known := s.known[Fact{x.Code, n.At}]; len(known) > 0 {
			return known
		}
	}
	return nil
}

func (s *Sayings) say(x *walk.Finding) *diag.Diagnostic {
	switch x.Code {
	case walk.RoutingLoop:
		return compiler.SayLoop(x.At, x.To, x.Round)
	case walk.NoRoute:
		return compiler.SayNoRoute(x.At, x.Device, x.To)
	}
	if d := validate.Say(s.fabric, x); d != nil || !x.Breaks {
		return d
	}
	if x.NIC != nil && s.refusing && len(s.refused(x.NIC.Device, []*ir.NIC{x.NIC})) > 0 {
		return nil // the break is that rocec does not write the NIC
	}
	return unsaid(x)
}

// unsaid makes the diagnostic of a break that no stage reports, from the summary of its code.
func unsaid(x *walk.Finding) *diag.Diagnostic {
	d := &diag.Diagnostic{Severity: diag.Error, Code: x.Code, At: x.At}
	for _, room := range report.Rooms() {
		if i := slices.IndexFunc(room.Topics, func(t diag.Topic) bool { return t.Code == x.Code }); i >= 0 {
			d.Summary = room.Topics[i].Summary
		}
	}
	d.Detail = fmt.Sprintf("Packets of %q from %s to %s are not lossless at %s.", x.Intent.Name, x.From.Device.Name, x.To.Device.Name,
		x.Device.Name)
	return d
}

// Unset adds the errors of targets to the hops of a trace. A device that rocec cannot write has none of the settings that the walk
// assumed, unless a by_hand block states that others configure it.
func (s *Sayings) Unset(t *walk.Trace) {
	for _, w := range []*walk.Walk{t.Data, t.CNP} {
		if w == nil || !s.refusing {
			continue
		}
		for _, h := range w.Hops {
			var passed []*ir.NIC
			for _, l := range slices.Concat(h.In, h.Out) {
				for _, p := range l.Ports {
					if p.NIC != nil {
						passed = append(passed, p.NIC)
					}
				}
			}
			for _, d := range h.Devices {
				for _, e := range s.refused(d, passed) {
					same := func(x *walk.Finding) bool { return x.Code == e.Code && x.At == e.At }
					if !slices.ContainsFunc(h.All(), same) {
						h.Findings = append(h.Findings, &walk.Finding{
							Code: e.Code, At: e.At, Breaks: true, Intent: t.Intent, From: w.From[0].NIC, To: w.To[0].NIC, Device: d,
						})
					}
				}
			}
		}
	}
}

// refused returns the errors because of which rocec cannot write a device. For a host it leaves out errors about NICs that packets do not
// pass.
func (s *Sayings) refused(d *ir.Device, passed []*ir.NIC) diag.List {
	all, asked := s.errors[d]
	if !asked {
		for _, e := range targets.CheckDevice(d) {
			if e.Severity == diag.Error && e.At.Filename != "" {
				all = append(all, e)
			}
		}
		s.errors[d] = all
	}
	if d.Host == nil {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(e *diag.Diagnostic) bool {
		return slices.ContainsFunc(d.Host.NICs, func(n *ir.NIC) bool {
			return (e.At == n.At || e.At == n.ModelAt) && !slices.ContainsFunc(passed, func(p *ir.NIC) bool {
				return e.At == p.At || e.At == p.ModelAt
			})
		})
	})
}

// firstBreak returns the first finding of a walk that breaks losslessness, or nil.
func (s *Sayings) firstBreak(w *walk.Walk) *Said {
	all := s.Of(w.Findings())
	if i := slices.IndexFunc(all, func(d Said) bool { return d.Breaks() }); i >= 0 {
		return &all[i]
	}
	return nil
}

// Breaks reports whether an intent that must be lossless is not.
func (s *Sayings) Breaks(t *walk.Trace) bool {
	return t.Data.Promised && (s.firstBreak(t.Data) != nil || t.CNP != nil && s.firstBreak(t.CNP) != nil)
}

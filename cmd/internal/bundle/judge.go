package bundle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/docs/evidence"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/deploy/trial"
	"github.com/rocec/rocec/targets/target"
)

// Judged is the verdict on a claim of a saved bundle, beside the written one.
type Judged struct {
	Devices, ID string
	Written     string
	Found       target.Verdict
	Why         string // why a claim is not decided or does not hold, if a reason is known; a text from the bundle
}

// Differs reports whether the written verdict is another one.
func (j *Judged) Differs() bool { return j.Written != string(j.Found) }

// Judge derives every verdict of a saved bundle again, from its answers alone.
func Judge(b *evidence.Bundle) (out []Judged) {
	for _, p := range b.Parts {
		claims := claimsOf(p)
		for _, e := range p.Entries {
			j := Judged{Devices: p.Devices, ID: e.ID, Written: e.Verdict, Found: target.NotDecided}
			answers := e
			if e.That != "" {
				answers = entry(p, e.That)
			}
			claim, known := find(claims, e.ID)
			switch {
			case !known:
				j.Why = "This rocec has no such claim about such a device."
			case answers == nil || len(answers.Answers) == 0:
				j.Why = "The bundle has no answer."
			default:
				j.Found, j.Why = verdict(claim, p.Wrote, answers.Answers)
				if slices.ContainsFunc(answers.Answers, func(r evidence.Reply) bool { return r.Cut }) {
					j.Why = "The end of the answer is missing."
				}
			}
			out = append(out, j)
		}
	}
	return out
}

// mostLines limits the lines of a [Summary].
const mostLines = 200

// Summary has the verdicts of a saved bundle for a person.
type Summary struct {
	Lines           []string // about differences, reasons and unread devices, and the counts
	Differ, Decided int      // claims
}

// Sum judges a saved bundle.
func Sum(b *evidence.Bundle) (s Summary) {
	count := map[target.Verdict]int{}
	for _, j := range Judge(b) {
		count[j.Found]++
		if j.Differs() {
			s.Differ++
		}
		if j.Differs() || j.Why != "" {
			s.Lines = append(s.Lines, j.text())
		}
	}
	for _, p := range b.Parts {
		if p.NotRead != "" {
			s.Lines = append(s.Lines, fmt.Sprintf("%s: not read: %s", short(p.Devices), short(p.NotRead)))
		}
	}
	if more := len(s.Lines) - mostLines; more > 0 {
		s.Lines = append(s.Lines[:mostLines], fmt.Sprintf("... and %s", diag.Count(more, "more line")))
	}
	open := count[target.NotDecided] + count[target.Echo]
	s.Decided = count[target.Holds] + count[target.DoesNotHold]
	s.Lines = append(s.Lines, fmt.Sprintf("%s: %d hold, %d do not hold, %d not decided.", diag.Count(s.Decided+open, "claim"),
		count[target.Holds], count[target.DoesNotHold], open))
	return s
}

// text returns the line about a claim of a bundle.
func (j *Judged) text() string {
	text := fmt.Sprintf("%s: %s: %s", short(j.Devices), short(j.ID), j.Found)
	if j.Differs() {
		text += fmt.Sprintf(", and the bundle says %q", diag.Cut(j.Written))
	}
	text += "."
	if j.Why != "" {
		text += " " + diag.Escape(j.Why)
	}
	return text
}

// short returns the beginning of a text from a bundle, safe to print.
func short(s string) string { return diag.Escape(diag.Cut(s)) }

// verdict derives the verdict on a claim from its answers, and for a trial the reason. A trial judges all of its readings. Any other claim
// judges its one answer, and is not decided if the end of the answer is missing, or if the answer may repeat what rocec wrote.
func verdict(c target.Claim, wrote bool, replies []evidence.Reply) (v target.Verdict, why string) {
	if slices.ContainsFunc(replies, func(r evidence.Reply) bool { return r.Cut }) {
		return target.NotDecided, ""
	}
	if t, is := trial.Find(c.ID); is {
		read := map[string]string{}
		for _, r := range replies {
			if _, twice := read[r.Moment]; twice {
				return target.NotDecided, "The readings of a moment occur twice."
			}
			read[r.Moment] = r.Text
		}
		return t.Judge(read)
	}
	if len(replies) != 1 || c.Judge == nil {
		return target.NotDecided, ""
	}
	v = c.Judge([]byte(replies[0].Text))
	if c.Own && wrote && v != target.NotDecided {
		return target.Echo, ""
	}
	return v, ""
}

// entry returns the claim of a section with a name; nil: the section lacks it.
func entry(p *evidence.Part, id string) *evidence.Assertion {
	if i := slices.IndexFunc(p.Entries, func(e *evidence.Assertion) bool { return e.ID == id }); i >= 0 {
		return p.Entries[i]
	}
	return nil
}

func find(claims []target.Claim, id string) (target.Claim, bool) {
	i := slices.IndexFunc(claims, func(c target.Claim) bool { return c.ID == id })
	if i < 0 {
		return target.Claim{}, false
	}
	return claims[i], true
}

// claimsOf returns the claims about such devices as those of a section, and the trials.
func claimsOf(p *evidence.Part) []target.Claim {
	var out []target.Claim
	for _, t := range trial.All() {
		out = append(out, target.Claim{ID: t.ID})
	}
	for _, name := range p.Targets {
		i := slices.IndexFunc(targets.All, func(t *target.Target) bool { return t.Name == name })
		if i < 0 || targets.All[i].Claims == nil {
			continue
		}
		if d := deviceOf(targets.All[i], p); d != nil {
			out = append(out, targets.All[i].Claims(d)...)
		}
	}
	return out
}

// deviceOf returns a device as a section describes it, with one port or one NIC; nil: rocec does not know its release or its model.
func deviceOf(t *target.Target, p *evidence.Part) *ir.Device {
	d := &ir.Device{Name: "device"}
	if t.OS == nil {
		d.Host = &ir.Host{}
		wanted := map[int]bool{0: true} // rocec asks about NICs that it sets
		for _, model := range t.Driver.Models {
			if slices.Contains(p.Models, model.Name) {
				d.Host.NICs = append(d.Host.NICs, &ir.NIC{Name: "nic", Device: d, Model: model, VFRoCE: wanted})
			}
		}
		if len(d.Host.NICs) == 0 { // a model that a fabric declares
			d.Host.NICs = []*ir.NIC{{Name: "nic", Device: d, Model: &ir.NICModel{Driver: t.Driver}, VFRoCE: wanted}}
		}
		return d
	}
	model := modelOf(t, p)
	if model == nil || t.OS.Release(p.Release) != "" {
		return nil
	}
	d.Switch = &ir.Switch{OS: t.OS.Name, Version: p.Release, Model: model}
	d.Ports = []*ir.Port{ir.NewPort(d, ir.PortSpec{Name: t.OS.Spell(nil, ir.Front{Number: 1, Sub: -1})})}
	return d
}

// modelOf returns the model of the switches of a section, or a model that has only their chip.
func modelOf(t *target.Target, p *evidence.Part) *platform.Switch {
	for _, m := range platform.Switches {
		if slices.Contains(p.Models, m.Name) {
			return m
		}
	}
	for _, c := range p.Chips {
		if of, chip, _ := strings.Cut(c, " "); of == t.Name {
			for _, a := range platform.ASICs {
				if a.Title == chip {
					return &platform.Switch{Name: "declared", Title: "declared", ASIC: a}
				}
			}
		}
	}
	return nil
}

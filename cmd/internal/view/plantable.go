package view

import (
	"cmp"
	"fmt"
	"sort"
	"strings"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

// mostRows is the maximum number of effects in the table.
const mostRows = 6

// row is a line of the table: a text, and its number of devices.
type row struct {
	what   string
	n      int
	effect deploy.Effect // for a row of traffic: the first effect with that text
}

// rows counts texts, in the order of their first occurrence.
type rows struct {
	at  map[string]int
	all []row
}

func (r *rows) add(what string) *row {
	if r.at == nil {
		r.at = map[string]int{}
	}
	i, known := r.at[what]
	if !known {
		i = len(r.all)
		r.at[what] = i
		r.all = append(r.all, row{what: what})
	}
	r.all[i].n++
	return &r.all[i]
}

// asIs prints the consequences of settings that devices cannot have, for devices without changes. For other devices they are printed with
// the changes.
func (v *Plan) asIs(p *deploy.Plan) {
	var notes Texts
	for _, d := range p.Devices {
		for _, note := range d.Diags {
			if d.Status == deploy.StatusSame && note.Severity == diag.Notice {
				notes.Add(note.Detail, d.Device.Name)
			}
		}
	}
	for _, folded := range v.alike().Fold(notes.All) { // once for all NICs of a host
		var names []string
		for _, i := range folded.Of {
			names = append(names, notes.Of[notes.All[i]]...)
		}
		v.Prose(v.Paint(diag.Yellow, "note:")+" ", nodeset.Text(names, nodeset.Devices, 200)+": "+folded.Text)
	}
}

// Watched prints the findings about devices that are not about their files. It prints equal findings once, each with its line.
func (v *Plan) Watched(p *deploy.Plan) {
	var all Texts
	style := map[string]string{}
	for _, d := range p.Devices {
		for _, w := range d.Watched {
			for _, f := range w.Found {
				if f.Severity == diag.Notice && !v.Options.Notes && !v.Drift {
					word := noteWord(f.Code)
					if of := v.folded.watched.Of[word]; len(of) == 0 || of[len(of)-1] != d.Device.Name {
						v.folded.watched.Add(word, d.Device.Name)
					}
					continue
				}
				text := fmt.Sprintf("%s:\x00%s [%s]", f.Severity, f.Detail, f.Code)
				style[text] = map[diag.Severity]string{diag.Error: diag.Red, diag.Warning: diag.Yellow}[f.Severity]
				all.Add(text, fmt.Sprintf("%s\x00%s:%d", d.Device.Name, f.At.Filename, f.At.Start.Line))
			}
		}
	}
	for _, text := range all.All {
		var names []string
		place := ""
		for _, who := range all.Of[text] {
			name, at, _ := strings.Cut(who, "\x00")
			if names = append(names, name); place == "" {
				place = at
			}
		}
		severity, detail, _ := strings.Cut(text, "\x00")
		v.Prose(v.Paint(style[text], severity)+" ", fmt.Sprintf("%s (%s): %s", nodeset.Text(names, nodeset.Devices, 200), place, detail))
	}
}

// table writes the parts of the table that have rows.
func (v *Plan) table(p *deploy.Plan) {
	var effects, disrupts, troubles rows
	for _, d := range p.Devices {
		seen := map[deploy.Shift]bool{}
		for _, e := range d.Effects {
			if !seen[e.Shift] { // several ports may have it
				seen[e.Shift] = true
				effects.add(e.What()).effect = e
			}
		}
		for _, text := range d.Disrupts {
			disrupts.add(target.Escape(text))
		}
		if d.Err != nil {
			troubles.add(reason(d))
		}
	}
	sort.SliceStable(effects.all, func(i, k int) bool {
		a, b := effects.all[i], effects.all[k]
		return cmp.Compare(a.effect.Kind.Order(), b.effect.Kind.Order()) < 0
	})
	for i := range effects.all {
		e := &effects.all[i]
		e.what = v.symbol(e.effect.Action) + " " + target.Escape(e.what)
	}
	ends := 0 // they come first, and all of them are shown
	for ends < len(effects.all) && effects.all[ends].effect.Kind == deploy.LosslessEnds {
		ends++
	}
	most := max(ends, mostRows)
	if v.Expand {
		most = len(effects.all)
	}
	v.part("traffic", effects.all, most)
	v.part("disrupts", disrupts.all, len(disrupts.all))
	v.part("in the way", troubles.all, len(troubles.all))
}

// part writes one part of the table, with a maximum of rows: " traffic + lossless cos 4 begins 6 devices".
func (s *Screen) part(name string, all []row, most int) {
	const left = 14
	pad := strings.Repeat(" ", left)
	wide := 0
	for _, r := range all[:min(len(all), most)] {
		wide = max(wide, Columns(r.what))
	}
	wide = min(wide, s.Width-left-len("1,000 devices")-2)
	for i, r := range all {
		lead := pad
		if i == 0 {
			lead = fmt.Sprintf("  %-*s", left-2, name)
		}
		if i == most {
			fmt.Fprintf(s.W, "%s... and %s; --expand shows each device\n", lead, diag.Count(len(all)-i, "more effect"))
			break
		}
		n := diag.Count(r.n, "device")
		if Columns(r.what) > wide {
			s.Prose(lead, r.what+" ("+n+")")
			continue
		}
		fmt.Fprintf(s.W, "%s%s%s  %s\n", lead, r.what, strings.Repeat(" ", wide-Columns(r.what)), n)
	}
}

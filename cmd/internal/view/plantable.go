package view

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/sequence"
	"github.com/rocec/rocec/targets/target"
)

// mostRows is how many effects the table has.
const mostRows = 6

// row is a line of the table: something, and how many devices it is about.
type row struct {
	what   string
	n      int
	effect deploy.Effect // of a row of traffic: the first of that text
}

// rows counts things, in the order in which they come first.
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

// asIs prints the consequences of settings that devices cannot have, for devices that stay as they are. Those of other devices are
// printed with their changes.
func (v *Plan) asIs(p *deploy.Plan) {
	var notes Texts
	for _, d := range p.Devices {
		for _, note := range d.Diags {
			if d.Status == deploy.StatusSame && note.Severity == diag.Notice {
				notes.Add(note.Detail, d.Device.Name)
			}
		}
	}
	for _, folded := range v.alike().Fold(notes.All) { // of the NICs of a host once
		var names []string
		for _, i := range folded.Of {
			names = append(names, notes.Of[notes.All[i]]...)
		}
		v.Prose(v.Paint(diag.Yellow, "note:")+" ", nodeset.Text(names, nodeset.Devices, 200)+": "+folded.Text)
	}
}

// Watched prints the findings about devices that are not about their files. Equal ones are printed once, each with its line.
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

// Texts are texts about devices: each once, in the order of the first.
type Texts struct {
	All []string
	Of  map[string][]string // by text: names of devices
}

// Add adds a device to a text.
func (t *Texts) Add(text, device string) {
	if t.Of[text] == nil {
		if t.Of == nil {
			t.Of = map[string][]string{}
		}
		t.All = append(t.All, text)
	}
	t.Of[text] = append(t.Of[text], device)
}

// alerts prints what a person must know before the changes: runs that hold devices, devices that wait, findings.
func (v *Plan) alerts(p *deploy.Plan) {
	v.held(p)
	if v.Fabric != nil {
		if text := deploy.ByHand(v.Fabric); text != "" {
			v.Prose(v.Paint(diag.Yellow, "note:")+" ", text+".")
		}
	}
	v.pending(p, v.Debts)
	v.gone()
	v.others(p)
	v.Watched(p)
	v.seen(v.Seen)
	if v.Options.Notes && !v.Again {
		v.asIs(p)
	}
	if v.Fabric != nil {
		v.evidence(p)
	}
	if v.Tool != "" {
		v.causes(p)
	}
}

// waves prints the table of effects, and the order of the change.
func (v *Plan) waves(p *deploy.Plan) {
	v.table(p)
	if v.Sequence != nil && p.Summary().Change > 0 {
		v.order(v.Sequence)
	}
}

// summary prints the last lines of a plan.
func (v *Plan) summary(p *deploy.Plan) {
	v.notesLine(p)
	s := p.Summary()
	if s.Change+s.Unreachable+s.Refused == 0 {
		fmt.Fprintf(v.W, "%s %s up to date%s%s.\n", v.Paint(diag.Green, "No changes:"), diag.Count(s.Same, "device"), pendingText(s.Pending),
			othersText(s.Others))
		return
	}
	parts := []string{fmt.Sprintf("%s to change", diag.Count(s.Change, "device")), fmt.Sprintf("%d up to date", s.Same)}
	if s.Unreachable > 0 {
		parts = append(parts, v.Paint(diag.Red, fmt.Sprintf("%d unreachable", s.Unreachable)))
	}
	if s.Refused > 0 {
		parts = append(parts, v.Paint(diag.Red, fmt.Sprintf("%d refused", s.Refused)))
	}
	if s.Pending > 0 {
		parts = append(parts, fmt.Sprintf("%d pending", s.Pending))
	}
	if s.Others > 0 {
		parts = append(parts, othersText(s.Others)[len(", "):])
	}
	fmt.Fprintf(v.W, "Plan: %s.  %s, %s.\n", strings.Join(parts, ", "), diag.Count(s.Files, "file"), diag.Count(s.Live, "live state"))
	if n := v.countsText(s.Settings); n != "" {
		fmt.Fprintf(v.W, "Settings: %s.\n", n)
	}
	if s.Change > 0 {
		text := v.Paint(diag.Yellow, diag.Count(s.Disruptive, "device"))
		if v.Sequence != nil && len(v.Sequence.Waves) > 0 {
			text += darkText(v.Sequence) + "; " + diag.Count(len(v.Sequence.Waves), "wave") + ", " + ShortTime(v.Sequence.Takes()) + " at most"
		}
		fmt.Fprintf(v.W, "Disruption: %s.\n", text)
	}
	if v.Next != "" {
		fmt.Fprintf(v.W, "Next: %s\n", v.Next)
	}
}

// darkText counts the hosts that an order leaves without a link at the same time; empty: none.
func darkText(s *sequence.Sequence) string {
	if most := mostDark(s); most > 0 {
		return fmt.Sprintf(", %s dark at most", diag.Count(most, "host"))
	}
	return ""
}

// mostDark is the number of hosts without a link in the wave that has most of them.
func mostDark(s *sequence.Sequence) (most int) {
	for _, w := range s.Waves {
		n := len(w.Dark)
		if w.Stream {
			n = min(n, s.Rules.Parallel)
		}
		most = max(most, n)
	}
	return most
}

// Price is what a change costs traffic, in sentences for a question: restarts, hosts without a link, and the time it takes.
func Price(p *deploy.Plan, s *sequence.Sequence) string {
	var disrupts rows
	for _, d := range p.Devices {
		for _, text := range d.Disrupts {
			disrupts.add(text)
		}
	}
	var out []string
	if len(disrupts.all) == 0 {
		out = append(out, "It disrupts no traffic.")
	}
	for _, r := range disrupts.all {
		out = append(out, fmt.Sprintf("It disrupts %s: %s.", diag.Count(r.n, "device"), target.Escape(r.what)))
	}
	if s == nil || len(s.Waves) == 0 {
		return strings.Join(out, " ")
	}
	if n := mostDark(s); n > 0 {
		out = append(out, fmt.Sprintf("At most %s %s without a link at a time.", diag.Count(n, "host"), diag.Plural(n, "is", "are")))
	}
	out = append(out, fmt.Sprintf("It takes %s, at most %s.", diag.Count(len(s.Waves), "wave"), ShortTime(s.Takes())))
	return strings.Join(out, " ")
}

// table writes the parts of the table that have rows.
func (v *Plan) table(p *deploy.Plan) {
	var effects, disrupts, troubles rows
	for _, d := range p.Devices {
		seen := map[string]bool{}
		for _, e := range d.Effects {
			if !seen[e.What] { // several ports may have it
				seen[e.What] = true
				effects.add(e.What).effect = e
			}
		}
		for _, text := range d.Disrupts {
			disrupts.add(text)
		}
		if d.Err != nil {
			troubles.add(reason(d))
		}
	}
	slices.SortStableFunc(effects.all, func(a, b row) int { return cmp.Compare(a.effect.Kind.Order(), b.effect.Kind.Order()) })
	for i := range effects.all {
		e := &effects.all[i]
		e.what = v.symbol(e.effect.Action) + " " + e.what
	}
	ends := 0 // which come first, and are all shown
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

// part writes one part of the table, at most so many rows: "  traffic     + lossless cos 4 begins   6 devices".
func (v *Plan) part(name string, all []row, most int) {
	const left = 14
	pad := strings.Repeat(" ", left)
	wide := 0
	for _, r := range all[:min(len(all), most)] {
		wide = max(wide, Columns(r.what))
	}
	wide = min(wide, v.Width-left-len("1,000 devices")-2)
	for i, r := range all {
		lead := pad
		if i == 0 {
			lead = fmt.Sprintf("  %-*s", left-2, name)
		}
		if i == most {
			fmt.Fprintf(v.W, "%s... and %s; --expand shows each device\n", lead, diag.Count(len(all)-i, "more effect"))
			break
		}
		n := diag.Count(r.n, "device")
		if Columns(r.what) > wide {
			v.Prose(lead, r.what+" ("+n+")")
			continue
		}
		fmt.Fprintf(v.W, "%s%s%s  %s\n", lead, r.what, strings.Repeat(" ", wide-Columns(r.what)), n)
	}
}

// reason says in a few words why a device cannot be planned for; devices of one reason differ in names and addresses.
func reason(d *deploy.DevicePlan) string {
	if d.Err.NoAddress {
		return string(d.Status) + ": no address"
	}
	return string(d.Status) + ": " + string(d.Err.Kind)
}

// foldTroubles puts devices together that cannot be planned for and say the same, but for their names.
func foldTroubles(groups []deploy.Group) []deploy.Group {
	var out []deploy.Group
	at := map[string]int{}
	for _, g := range groups {
		d := g.First()
		if d.Err == nil {
			out = append(out, g)
			continue
		}
		key := reason(d)
		if !d.Err.NoAddress {
			key += " " + strings.ReplaceAll(d.Err.Detail, d.Device.Name, "\x00")
		}
		i, known := at[key]
		if !known {
			i = len(out)
			at[key] = i
			out = append(out, deploy.Group{})
		}
		out[i].Devices = append(out[i].Devices, g.Devices...)
	}
	return out
}

// foldKinds puts groups of one block together whose changes have the same effects, where no change is that of most devices: then each
// device differs by nature. Of others it keeps each group, so that a device that differs from the rest of its block is seen. kinds
// counts the groups in each.
func foldKinds(groups []deploy.Group) (out []deploy.Group, kinds []int) {
	key := func(g deploy.Group) string {
		d := g.First()
		if d.Err != nil || d.Status != deploy.StatusChange {
			return ""
		}
		k := fmt.Sprintf("%q %q %q %q", d.Device.Role, d.Device.Group, d.Device.About, d.Disrupts)
		for _, e := range d.Effects {
			k += "\n" + e.What
		}
		return k
	}
	devices, largest, of := map[string]int{}, map[string]int{}, map[string]int{}
	for _, g := range groups {
		k, n := key(g), len(g.Devices)
		devices[k] += n
		largest[k] = max(largest[k], n)
		of[k]++
	}
	at := map[string]int{}
	for _, g := range groups {
		k := key(g)
		if k == "" || of[k] < 3 || 2*largest[k] > devices[k] {
			out, kinds = append(out, g), append(kinds, 0)
			continue
		}
		i, known := at[k]
		if !known {
			i = len(out)
			at[k] = i
			out, kinds = append(out, deploy.Group{}), append(kinds, 0)
		}
		out[i].Devices = append(out[i].Devices, g.Devices...)
		kinds[i]++
	}
	return out, kinds
}

// foldedFile is changes of one device that are the same but for the name of a file: its NICs.
type foldedFile struct {
	*deploy.Change        // the first
	label          string // "/etc/rocec/host/ens[1-8]f0.conf"
	count          int
}

// foldChanges folds the changes of a device, or lists each alone.
func foldChanges(changes []*deploy.Change, alone bool) []foldedFile {
	type stems struct {
		dir, ext string
		names    []string
	}
	var out []foldedFile
	var parts []*stems
	at := map[string]int{}
	for _, c := range changes {
		dir, base := path.Split(c.Path)
		ext := path.Ext(base)
		stem := strings.TrimSuffix(base, ext)
		var key strings.Builder
		fmt.Fprintf(&key, "%q %q %s", dir, ext, c.Action)
		for _, k := range slices.Concat(c.Keys, c.RightsKeys()) {
			fmt.Fprintf(&key, " %q %q %q", k.Key, k.Before, k.After)
		}
		i, known := at[key.String()]
		if !known || alone || len(c.Keys) == 0 { // what is compared as a whole stands alone
			i = len(out)
			at[key.String()] = i
			out = append(out, foldedFile{Change: c, label: c.Path})
			parts = append(parts, &stems{dir: dir, ext: ext})
		}
		out[i].count++
		parts[i].names = append(parts[i].names, stem)
	}
	for i := range out {
		if out[i].count > 1 {
			p := parts[i]
			sets := nodeset.Fold(p.names, nodeset.Interfaces)
			stem := sets[0]
			if len(sets) > 1 {
				stem = "{" + strings.Join(sets, ",") + "}" // as a shell expands it
			}
			out[i].label = p.dir + stem + p.ext
		}
		out[i].label = target.Escape(out[i].label)
	}
	return out
}

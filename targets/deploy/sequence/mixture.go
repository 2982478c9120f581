package sequence

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/change"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/validate"
	"github.com/rocec/rocec/validate/proof"
)

// mixture describes the mixtures of old and new settings during a plan.
type mixture struct {
	phases  []change.Phase
	gaps    []*change.Gap // settings that lose packets during the change, however the change is split
	staged  bool          // some devices would need settings that are neither old nor new
	byMarks bool          // the marks in the hosts' settings are all marks that hosts send
	loop    *proof.Proof  // a PFC loop of old and new settings together; nil: none
	ended   []int         // cos that are lossless only before the change and part of that proof

	judge *change.Mixtures
	held  []change.Held // by Device.ID

	elsewhere map[*ir.Device]bool // as of the rules
}

// newMixture checks the mixtures of old and new settings during a plan. It assumes that unread devices keep their settings, whatever they
// are, except those that have the settings of the fabric by the word of another site. A proof uses at most the budget of the rules.
func newMixture(f *ir.Fabric, plan *deploy.Plan, r *Rules) *mixture {
	held := make([]change.Held, len(f.Devices))
	for _, d := range f.Devices {
		held[d.ID].Away = true
		if d.ByHand != nil || r.Elsewhere[d] {
			w := d.Wanted()
			held[d.ID] = change.Held{Old: w, New: w}
		}
	}
	for _, p := range plan.Beside {
		held[p.Device.Source.ID] = change.Held{Old: p.Old, New: p.Old, Away: true}
	}
	for _, p := range plan.Devices {
		held[p.Device.Source.ID] = change.Held{
			Old: p.Old, New: p.New, Away: p.Status != deploy.StatusChange && p.Status != deploy.StatusSame,
		}
		if p.Status == deploy.StatusChange && p.New != nil {
			held[p.Device.Source.ID].New = unused(p.New, p.Device.Source)
		}
	}
	for d := range r.Away {
		held[d.ID].Excused = true
	}
	m := &mixture{elsewhere: r.Elsewhere, judge: change.NewMixtures(f), held: held}
	if m.phases, m.gaps = m.judge.Phases(held); len(m.gaps) > 0 {
		if phases, gaps := m.judge.PhasesByMarks(held); len(gaps) == 0 {
			m.phases, m.gaps, m.byMarks = phases, nil, true
		}
	}
	m.staged = slices.ContainsFunc(m.phases, func(p change.Phase) bool {
		return slices.ContainsFunc(p.Moves, func(v change.Move) bool { return v.To != change.New })
	})
	if len(m.gaps) == 0 {
		if joined, ended := m.judge.Beside(held); joined != nil {
			m.loop, m.ended = fresh(f, joined, r.budget), ended
		}
	}
	return m
}

// unused returns the settings of a host without the pauses of NICs that belong to no intent. After the change of the host, no intent
// relies on those NICs, whatever their settings are, as with roce = false.
func unused(s *ir.Settings, d *ir.Device) *ir.Settings {
	if d.Host == nil || !slices.ContainsFunc(d.Host.NICs, func(n *ir.NIC) bool { return len(n.Carries()) == 0 }) {
		return s
	}
	out := &ir.Settings{Rest: s.Rest}
	for name, of := range s.Ports {
		p := *of
		if slices.ContainsFunc(d.Host.NICs, func(n *ir.NIC) bool { return n.Name == name && len(n.Carries()) == 0 }) {
			p.LinkPause, p.Sends, p.Obeys = false, 0, 0
		}
		out.Set(name, p)
	}
	return out
}

// lacking returns, in one sentence, the loss if devices of the phases keep their old settings; empty: no loss.
func (m *mixture) lacking(stay []*deploy.DevicePlan) string {
	held := slices.Clone(m.held)
	for _, p := range stay {
		h := &held[p.Device.Source.ID]
		h.New, h.Away = h.Old, true
	}
	if gaps := m.judge.Gaps(held, m.phases, m.byMarks); len(gaps) > 0 {
		return gaps[0].String() + "."
	}
	return ""
}

// fresh returns the proof of a PFC loop that old and new lossless classes form together, if the fabric itself has no such loop. It also
// returns a proof that exceeded its budget, if the fabric's own proof did not. Nil: neither exists.
func fresh(f, union *ir.Fabric, budget func() *ir.Budget) *proof.Proof {
	alone := map[string]proof.Verdict{}
	for _, p := range proof.All(f, budget()) {
		for _, g := range p.Groups {
			alone[g.Name] = p.Verdict
		}
	}
	for _, p := range proof.All(union, budget()) {
		if slices.ContainsFunc(p.Groups, func(g *ir.CosGroup) bool {
			of, known := alone[g.Name] // an ending class by itself has no new loop
			return known && (p.Verdict == proof.Prone && of != proof.Prone || p.Verdict == proof.Unknown && of == proof.Free)
		}) {
			return p
		}
	}
	return nil
}

// phaseOf returns the phase of a device. Devices whose settings stay the same may be changed in any phase.
func (m *mixture) phaseOf(d *ir.Device) int {
	for i, p := range m.phases {
		if _, found := slices.BinarySearchFunc(p.Moves, d.ID, func(v change.Move, id int) int { return v.Device.ID - id }); found {
			return i
		}
	}
	return 0
}

// staying returns advice for a gap whose one end is new while the other end keeps its old settings, by --target or for another reason.
// It also returns advice for a gap at a device that another site reads. Empty: no such end.
func (m *mixture) staying(g *change.Gap) string {
	for _, d := range []*ir.Device{g.From.Device(), g.To.Device()} {
		if asWanted, elsewhere := m.elsewhere[d]; elsewhere && !asWanted {
			return fmt.Sprintf(" Only the site %s reads %s, and has not found it as the fabric wants. Make several plans with --target: a "+
				"new class begins on the switches of all sites, and then on the hosts. A class that ends leaves the hosts first.", d.Site, d.Name)
		}
	}
	old, changed := g.From.Device(), g.To.Device()
	if g.Takes == change.Old {
		old, changed = changed, old
	}
	if g.Sends == g.Takes || g.Sends != change.Old && g.Takes != change.Old || !m.held[old.ID].Away {
		return ""
	}
	return fmt.Sprintf(" %s stays as it is in this plan: change it too, or leave %s out.", old.Name, changed.Name)
}

// against lists the gaps and the loop of the mixture, as reasons to refuse the plan.
func (m *mixture) against() diag.List {
	var ds diag.List
	type alike struct {
		packet       ir.Packet
		fault        change.Fault
		sends, takes change.Stage
	}
	more := map[alike]int{}
	told := map[alike]*diag.Diagnostic{}
	for _, g := range m.gaps {
		key := alike{g.Packet, g.Fault, g.Sends, g.Takes}
		if told[key] != nil {
			more[key]++
			continue
		}
		told[key] = deploy.TopicMixture.Errorf(&ds, g.To.Device().At, "%s.%s", g, m.staying(g))
	}
	for key, d := range told {
		if n := more[key]; n > 0 {
			d.Note(diag.Range{}, "and so on %s more", diag.Count(n, "link"))
		}
	}
	switch {
	case m.loop == nil:
	case m.loop.Verdict == proof.Prone:
		circle := m.loop.Loops[0].Circle
		var names []string
		also := ""
		for _, w := range circle {
			names = append(names, w.In.String())
			if slices.Contains(m.ended, w.Group.Cos) {
				also = fmt.Sprintf(" Cos %d, lossless only before, fills the same buffers.", w.Group.Cos)
			}
		}
		deploy.TopicMixture.Errorf(&ds, circle[0].In.Device().At, "While old and new settings are mixed, lossless buffers wait "+
			"for each other in a circle: %s.%s Make it two changes: first remove the old class, then add the new one.", foldPorts(names), also)
	default:
		g := m.loop.Groups[0]
		deploy.TopicMixture.Errorf(&ds, g.At, "It is not known whether lossless buffers wait for each other in a circle while old and new "+
			"settings of %q are mixed: %s. Make it two changes: first remove the old class, then add the new one.", g.Name,
			validate.GroupProof{Group: g, Proof: m.loop}.Why())
	}
	return ds
}

// foldPorts returns the names of the first few ports.
func foldPorts(names []string) string {
	const most = 8
	if len(names) > most {
		names = append(slices.Clone(names[:most]), "...")
	}
	return strings.Join(names, ", ")
}

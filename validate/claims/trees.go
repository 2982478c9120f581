package claims

import (
	"fmt"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/proof"
)

// trees judges the spanning trees of bridges: there is one root for all VLANs, and the cables that forward in any of them close no circle.
// Under another routing than spanning-tree, nothing states that a tree runs.
func (j *judging) trees() {
	if j.f.Routing != ir.SpanningTree {
		return
	}
	all := bridges(j.f)
	read := slices.DeleteFunc(slices.Clone(all), func(d *ir.Device) bool { return !j.of[d.ID].Read(ir.PartTrees) })
	if len(read) == 0 {
		return
	}
	var common string // the first root
	var at *ir.Device
	for _, d := range read {
		trees := j.of[d.ID].Trees
		if len(trees) == 0 {
			j.add(d, &topicTree, j.severity(proof.SpanningTreeRuns), here+" runs no spanning tree, and has bridged cables to other switches.",
				proof.SpanningTreeRuns)
			continue
		}
		for i, t := range trees {
			switch {
			case t.Root == "":
				j.doubt(d, "its root is not known", proof.SpanningTreeRuns)
			case common == "":
				common, at = t.Root, d
			case i > 0 && t.Root != trees[0].Root:
				j.add(d, &topicTree, j.severity(proof.SpanningTreeRuns), fmt.Sprintf("%s has a tree for each VLAN, and their roots differ: %s for "+
					"%s, %s for %s. Traffic of several VLANs can close a circle together.", here, diag.Cut(trees[0].Root),
					vlan(trees[0].VLAN), diag.Cut(t.Root), vlan(t.VLAN)), proof.SpanningTreeRuns)
			case t.Root != common && i == 0:
				j.add(d, &topicTree, j.severity(proof.SpanningTreeRuns), fmt.Sprintf("%s has the root %s, and %s has the root %s: they do not run "+
					"one spanning tree.", here, diag.Cut(t.Root), at.Name, diag.Cut(common)), proof.SpanningTreeRuns)
			}
		}
	}
	j.closed(read)
}

func vlan(n int) string {
	if n == 0 {
		return "all VLANs"
	}
	return fmt.Sprint("VLAN ", n)
}

// closed finds a cable that forwards in some tree and closes a circle of such cables.
func (j *judging) closed(read []*ir.Device) {
	root := make([]int, len(j.f.Devices))
	for i := range root {
		root[i] = i
	}
	find := func(i int) int {
		for root[i] != i {
			root[i] = root[root[i]]
			i = root[i]
		}
		return i
	}
	bonds, known := map[int]bool{}, map[*ir.Device]bool{}
	for _, d := range read {
		known[d] = true
		j.shown(d)
	}
	for _, l := range j.f.Links {
		a, b := l.A(), l.B()
		if l.Planned || l.Routed || !joint(a) || !known[a.Device()] || !known[b.Device()] || l.Bond != 0 && bonds[l.Bond] || !j.forwards(a, b) {
			continue
		}
		bonds[l.Bond] = l.Bond != 0
		x, y := find(a.Device().ID), find(b.Device().ID)
		if x != y {
			root[x] = y
			continue
		}
		detail := fmt.Sprintf("The cable from %s to %s forwards and closes a circle of cables that forward: no port on it blocks in every VLAN.",
			a, b)
		severity := j.severity(proof.SpanningTreeRuns)
		j.add(a.Device(), &topicTree, severity, detail, proof.SpanningTreeRuns)
		j.add(b.Device(), &topicTree, severity, detail, proof.SpanningTreeRuns)
	}
}

// forwards reports whether a cable forwards frames in some tree: both of its ports forward there. A tree of all VLANs has the number 0.
func (j *judging) forwards(a, b *ir.Port) bool {
	for _, x := range j.of[a.Device().ID].Trees {
		for _, y := range j.of[b.Device().ID].Trees {
			if (x.VLAN == y.VLAN || x.VLAN == 0 || y.VLAN == 0) && x.States[a.Name] == forwarding && y.States[b.Name] == forwarding {
				return true
			}
		}
	}
	return false
}

// forwarding is the state of a port that passes frames.
const forwarding = "forwarding"

// portStates are all states of a port.
//
// Source: git.kernel.org, network/iproute2, bridge/link.c, stp_states; mstpd/mstpd, ctl_main.c.
var portStates = []string{"disabled", "listening", "learning", forwarding, "blocking", "discarding"}

// shown doubts bridges with a cable to another bridge whose port is in no tree.
func (j *judging) shown(d *ir.Device) {
	for _, p := range d.Ports {
		if !joint(p) || p.Link().Routed || len(j.of[d.ID].Trees) == 0 {
			continue
		}
		why := "its trees do not show the state of " + p.Name
		for _, t := range j.of[d.ID].Trees {
			state := t.States[p.Name]
			if state != "" && !slices.Contains(portStates, state) {
				why = "the state " + diag.Cut(state) + " of " + p.Name + " is not known"
				break
			}
			if state != "" {
				why = ""
			}
		}
		if why != "" {
			j.doubt(d, why, proof.SpanningTreeRuns)
		}
	}
}

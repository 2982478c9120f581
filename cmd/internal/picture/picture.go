// Package picture draws a compiled fabric and the proofs about its PFC loops in a [Format]: as SVG for documents, as one HTML page to
// explore, for graphviz, for Cumulus PTM, and as JSON.
//
// Its input is an [ir.Fabric] with its [validate.GroupProof]s, its output the bytes of one document. The same input gives the same bytes.
// SVG and HTML show the same drawing: devices with equal roles in the fabric are folded into one [symbol] until the drawing fits a page.
// The symbols are in rows by tier, or on a circle or grid if there are no tiers. The other formats list every device and link.
package picture

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate"
)

// Format is one way to write a picture.
type Format struct {
	Name  string // value of --format
	Ext   string // file name ending, with the dot
	Write func(*ir.Fabric, []validate.GroupProof) []byte
}

// Formats is the table of formats; the first is the default.
var Formats = []Format{
	{"svg", ".svg", SVG},
	{"html", ".html", HTML},
	{"dot", ".dot", Dot},
	{"ptm", ".ptm", PTM},
	{"json", ".json", JSON},
}

// circle is a PFC loop with its proof.
type circle struct {
	proof *validate.GroupProof
	loop  *validate.Loop
}

// circles returns every loop of every proof, in their order.
func circles(proofs []validate.GroupProof) []circle {
	var out []circle
	for i := range proofs {
		for j := range proofs[i].Loops {
			out = append(out, circle{&proofs[i], &proofs[i].Loops[j]})
		}
	}
	return out
}

// title returns a short description of the loop: "rdma: 4 buffers, of sw1, sw4, sw3, sw2".
func (c circle) title() string {
	const most = 4
	var of []string
	for i, h := range c.loop.Circle {
		if i == most && len(c.loop.Circle) > most {
			of = append(of, "…")
			break
		}
		of = append(of, h.In.Device().Name)
	}
	s := fmt.Sprintf("%s: %s, of %s", c.proof.Group.Name, diag.Count(len(c.loop.Circle), "buffer"), strings.Join(of, ", "))
	if n := len(c.loop.Down); n > 0 {
		s += fmt.Sprintf("; with %s down", diag.Count(n, "link"))
	}
	return s
}

// waitText returns "sw2:swp16 → sw1:swp15, out by swp16": the cable into the buffer, and the port to which the buffer drains.
func waitText(h validate.Wait) string {
	return fmt.Sprintf("%s → %s, out by %s", h.In.Peer(), h.In, h.Out.Name)
}

// flowText returns "node1:eth2 → node3:eth2, by sw1, sw2, sw3".
func flowText(f *ir.Flow) string {
	var by []string
	for i := 1; i+1 < len(f.Ports); i += 2 {
		by = append(by, f.Ports[i].Device().Name)
	}
	return fmt.Sprintf("%s → %s, by %s", f.Ports[0], f.Ports[len(f.Ports)-1], strings.Join(by, ", "))
}

func linkText(l *ir.Link) string { return fmt.Sprintf("%s - %s", l.A(), l.B()) }

// verdictText returns the line about one cos group.
func verdictText(p *validate.GroupProof) string {
	s := fmt.Sprintf("%s (priority %d): ", p.Group.Name, p.Group.Cos)
	switch p.Verdict {
	case validate.Free:
		s += "free of PFC loops" + p.Scope()
	case validate.Prone:
		s += "prone to PFC loops"
		if len(p.Loops) > 0 && len(p.Loops[0].Down) > 0 {
			s += fmt.Sprintf(" with %s down", diag.Count(len(p.Loops[0].Down), "link"))
		}
	default:
		s += "not known to be free of PFC loops: " + p.Why()
	}
	return s
}

// lossless returns the names of the groups the link carries without loss at both ends, by cos.
func lossless(l *ir.Link) []string {
	out := []string{}
	for _, b := range l.A().Buffers() {
		if l.B().Carries(b.Group) != nil {
			out = append(out, b.Group.Name)
		}
	}
	return out
}

func metres(m float64) string { return strconv.FormatFloat(m, 'f', -1, 64) + " m" }

// place returns "fabric.hcl:31", or "" without a place.
func place(at diag.Range) string {
	if at.Filename == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", at.Filename, at.Start.Line)
}

package settings

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// mapped returns a device whose ports put all DSCP values into cos 0, except those of the argument, and send pauses for cos 3 and 5.
func mapped(name string, classes map[int]int8) *Reading {
	p := &ir.PortSettings{PausesKnown: true, Sends: 1<<3 | 1<<5, Obeys: 1<<3 | 1<<5, TrustKnown: true, Trust: ir.Trust{DSCP: true}}
	for dscp, cos := range classes {
		p.DSCP[dscp] = cos
	}
	return &Reading{Name: name, Settings: &ir.Settings{Rest: p}, At: diag.Range{Filename: name + "/conf"}}
}

// heard is a sink that keeps findings as text.
type heard []string

func (h *heard) Omit(*diag.Topic) bool { return false }

func (h *heard) Report(sev diag.Severity, topic *diag.Topic, at diag.Range, format string, args ...any) *diag.Diagnostic {
	*h = append(*h, at.Filename+": "+fmt.Sprintf(format, args...))
	return &diag.Diagnostic{Severity: sev, Code: topic.Code}
}

func TestCrossings(t *testing.T) {
	right, wrong := map[int]int8{26: 3, 27: 3}, map[int]int8{26: 5, 27: 5}
	leaf, spine1, spine2 := mapped("leaf", wrong), mapped("spine1", right), mapped("spine2", right)
	hosts := []*Reading{mapped("a", right), mapped("b", right), mapped("c", map[int]int8{26: 5, 27: 3})}
	cables := []Cable{
		{A: leaf, PortA: "up1", B: spine1, PortB: "p1"},
		{A: spine2, PortA: "p1", B: leaf, PortB: "up2"},
		{A: hosts[0], PortA: "e", B: leaf, PortB: "d1"},
		{A: hosts[1], PortA: "e", B: leaf, PortB: "d2"},
		{A: hosts[2], PortA: "e", B: leaf, PortB: "d3"},
	}
	for _, c := range []struct {
		name   string
		cables []Cable
		want   []string
	}{
		{"a wrong map is one finding at its device", cables, []string{
			"leaf/conf: On leaf:up1 to spine1:p1, leaf:up2 to spine2:p1, leaf:d1 to a:e and leaf:d2 to b:e, DSCP 26 is in cos 5 at leaf and in " +
				"cos 3 at the other ends: a pause for one class does not stop the other. Let both maps agree.",
			"leaf/conf: On leaf:up1 to spine1:p1, leaf:up2 to spine2:p1, leaf:d1 to a:e and 2 more, DSCP 27 is in cos 5 at leaf and in cos 3 at " +
				"the other ends: a pause for one class does not stop the other. Let both maps agree.",
		}},
		{"DSCP of the same cables are one finding", cables[:1], []string{
			"leaf/conf: On leaf:up1 to spine1:p1, DSCP 26 and 27 are in cos 5 at leaf and in cos 3 at spine1: a pause for one class " +
				"does not stop the other. Let both maps agree.",
		}},
		{"maps that agree", []Cable{{A: spine1, PortA: "p9", B: spine2, PortB: "p9"}}, nil},
	} {
		var to heard
		CompareCabled(nil, c.cables, &to)
		got := []string(to)
		assert.Equal(t, c.want, got, c.name)
	}
}

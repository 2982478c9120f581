package sequence_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/change"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/sequence"
	"github.com/rocec/rocec/targets/judge"
	"github.com/rocec/rocec/targets/target"
)

// world contains the content of devices, by name and path. It is the network of a test without machines.
type world map[string]map[string][]byte

// fabric compiles the text of a fabric without errors, with the tree of its devices.
func fabric(t testing.TB, hcl string) (*ir.Fabric, *target.Tree) {
	t.Helper()
	j := judge.Judge(t.Context(), fstest.MapFS{"fabric.hcl": {Data: []byte(hcl)}}, ".", judge.Options{})
	for _, d := range j.Diags {
		require.NotEqual(t, diag.Error, d.Severity, "%s: %s", d.Code, d.Detail)
	}
	return j.Fabric, j.Tree()
}

// observe returns the content of the devices of a tree. A device that the world lacks is factory-new.
func (w world) observe(tree *target.Tree) *deploy.Observed {
	found := &deploy.Observed{}
	for _, d := range tree.Devices {
		h := &deploy.Have{Device: d}
		held, known := w[d.Name]
		for i := range d.Files {
			path := d.Files[i].Path
			data := held[path]
			if text, there := d.Target.Image(d.Source).Files[path]; !known && there {
				data = []byte(text)
			}
			h.Files = append(h.Files, deploy.Content{Data: data})
		}
		found.Devices = append(found.Devices, h)
	}
	return found
}

// apply applies the changes of a plan to its devices.
func (w world) apply(p *deploy.Plan) {
	for _, d := range p.Devices {
		if w[d.Device.Name] == nil {
			w[d.Device.Name] = map[string][]byte{}
		}
		for _, c := range d.Changes {
			w[d.Device.Name][c.Path] = c.After
		}
	}
}

// holding returns a world in which the devices of a fabric have the fabric's settings.
func holding(t testing.TB, hcl string) world {
	t.Helper()
	w := world{}
	_, tree := fabric(t, hcl)
	w.apply(deploy.Diff(tree, w.observe(tree)))
	return w
}

// half contains the default rules of rocec plan.
var half = sequence.Rules{Rules: change.Rules{MinCapacity: 50, Parallel: 32}}

// order puts the plan for a fabric in order. It returns the sequence and the reasons to refuse the plan.
func (w world) order(t testing.TB, hcl string, r sequence.Rules) (*sequence.Sequence, diag.List) {
	t.Helper()
	f, tree := fabric(t, hcl)
	return sequence.New(f, tree, deploy.Diff(tree, w.observe(tree)), r)
}

// moved returns a rack of judgetest whose class has another cos and DSCP.
func moved(rack string) string {
	return strings.NewReplacer("cos      = 3", "cos      = 4", "dscp     = [26]", "dscp     = [34]").Replace(rack)
}

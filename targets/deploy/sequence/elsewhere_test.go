package sequence_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/sequence"
	"github.com/rocec/rocec/targets/target"
)

// at returns the reasons to refuse the change of the clos at a site. settled are devices elsewhere that have the settings of the fabric.
// Only the devices of the roles change here.
func (w world) at(t *testing.T, hcl string, here []string, roles []target.Role, settled ...string) []string {
	t.Helper()
	f, tree := fabric(t, hcl)
	r, own, beside := half, &target.Tree{}, &target.Tree{}
	r.Elsewhere = map[*ir.Device]bool{}
	for _, d := range tree.Devices {
		switch {
		case !slices.Contains(here, d.Name):
			r.Elsewhere[d.Source] = slices.Contains(settled, d.Name)
		case slices.Contains(roles, d.Role):
			own.Devices = append(own.Devices, d)
		default:
			beside.Devices = append(beside.Devices, d)
		}
	}
	plan := deploy.Diff(own, w.observe(own))
	plan.Beside = deploy.Diff(beside, w.observe(beside)).Devices
	_, ds := sequence.New(f, own, plan, r)
	return details(ds)
}

// TestElsewhere: packets may not begin to rely on a device that another site reads, unless it has the settings of the fabric. A change that
// moves no class needs no knowledge of the other site.
func TestElsewhere(t *testing.T) {
	all, switches, hosts := []target.Role{"switch", "host"}, []target.Role{"switch"}, []target.Role{"host"}
	none := strings.ReplaceAll(clos, "lossless = true", "lossless = false")
	weight := strings.ReplaceAll(clos, "lossless = true", "lossless = true\n  weight = 60")
	site, spine := []string{"leaf1", "spine1", "store1", "store3"}, []string{"spine1"}
	cabled := holding(t, clos).without("store1", "store3")
	for name, c := range map[string]struct {
		w           world
		hcl         string
		here        []string
		roles       []target.Role
		settled     []string
		unsettledOf string // a device that a refusal names
	}{
		"a first class":                          {world{}, clos, site, all, nil, "spine2"},
		"its switches":                           {world{}, clos, site, switches, nil, ""},
		"its hosts, before the other switches":   {cabled, clos, site, hosts, nil, "spine2"},
		"its hosts, before some other switches":  {cabled, clos, site, hosts, []string{"spine2"}, "leaf2"},
		"its hosts, after the other switches":    {cabled, clos, site, hosts, []string{"leaf2", "spine2"}, ""},
		"weights":                                {holding(t, clos), weight, site, all, nil, ""},
		"the end of a class that stays here":     {holding(t, clos), none, site, all, nil, ""},
		"the end of a class on hosts":            {holding(t, clos), none, site, hosts, nil, ""},
		"the end of a class on switches first":   {holding(t, clos), none, site, switches, nil, "leaf2"},
		"the end of a class of hosts elsewhere":  {holding(t, clos), none, spine, all, nil, "leaf1"},
		"the end of a class that no host has":    {holding(t, clos), none, spine, all, []string{"store1", "store2", "store3", "store4"}, ""},
		"a class of hosts elsewhere that begins": {world{}, clos, spine, all, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := strings.Join(c.w.at(t, c.hcl, c.here, c.roles, c.settled...), "\n")
			if c.unsettledOf == "" {
				require.Empty(t, got)
				return
			}
			require.Regexp(t, "Only the site .* reads "+c.unsettledOf+", and has not found it as the fabric wants", got)
		})
	}
}

// without returns a world in which devices are factory-new.
func (w world) without(names ...string) world {
	for _, name := range names {
		delete(w, name)
	}
	return w
}

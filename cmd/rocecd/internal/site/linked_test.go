package site

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/savedplan"
	"github.com/rocec/rocec/cmd/internal/statement"
	verbs "github.com/rocec/rocec/cmd/internal/team"
	"github.com/rocec/rocec/cmd/rocecd/internal/keys"
)

// linked is a Clos over two sites: a leaf, a spine and two hosts at each.
const linked = `
fabric "prod" {
  routing      = "up-down"
  cable_length = "10m"
}
cos_group "rdma" {
  cos      = 3
  dscp     = [26]
  lossless = true
  ecn {}
}
cos_group "cnp" {
  cos    = 6
  dscp   = [48]
  strict = true
}
roce "all" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [host.a, host.b]
}
switch "leaf1" {
  model   = "sn3700"
  version = "5.9.2"
  tier    = 1
  site    = "dc1"
}
switch "spine1" {
  model   = "sn3700"
  version = "5.9.2"
  tier    = 2
  site    = "dc1"
}
switch "leaf2" {
  model   = "sn3700"
  version = "5.9.2"
  tier    = 1
  site    = "dc2"
}
switch "spine2" {
  model   = "sn3700"
  version = "5.9.2"
  tier    = 2
  site    = "dc2"
}
host "a" {
  names = "a[1-2]"
  site  = "dc1"
  nic "ens1f0" { model = "connectx-6dx" }
}
host "b" {
  names = "b[1-2]"
  site  = "dc2"
  nic "ens1f0" { model = "connectx-6dx" }
}
link "a" {
  a     = "a[1-2]:ens1f0"
  b     = "leaf1:swp[1-2]"
  speed = "100G"
}
link "b" {
  a     = "b[1-2]:ens1f0"
  b     = "leaf2:swp[1-2]"
  speed = "100G"
}
mesh "fabric" {
  lower = "leaf[1-2]:swp[31-32]"
  upper = "spine[1-2]:swp[1-2]"
}
`

// linkedOf has the devices of each site.
var linkedOf = map[string][]string{"dc1": {"leaf1", "spine1", "a1", "a2"}, "dc2": {"leaf2", "spine2", "b1", "b2"}}

// met returns the devices to which a stopped site has logged in. Its lab keeps those alone.
func (w *team) met(site string) (names []string) {
	w.t.Helper()
	all, err := os.ReadDir(filepath.Join(w.sites[site].state, "lab", "devices"))
	require.NoError(w.t, err)
	for _, one := range all {
		names = append(names, one.Name())
	}
	return names
}

// TestLinkedSites: a new class in a Clos over two sites is two plans, since hosts of one site send through switches of the other. The first
// one has the switches. A change of weights is one plan. Each run changes each of its devices once. No site logs in to a device of the
// other one, also where a person confirms or goes back, and where a site looks at its devices.
func TestLinkedSites(t *testing.T) {
	t.Parallel()
	w := newTeam(t)
	w.of, w.every = linkedOf, rarely
	for site := range linkedOf {
		w.stop(site)
		w.start(site)
	}
	w.write(linked)
	alice, out := w.person("alice", keys.Operator)
	file := func(name string) string { return filepath.Join(w.dir, name+".plan") }
	plan := func(name string, only ...string) error {
		return alice.Plan(t.Context(), w.repo, &verbs.PlanOptions{Out: file(name), Only: only, Valid: time.Hour, Message: name})
	}
	run := func(name string, waves ...string) {
		t.Helper()
		saved, err := savedplan.Read(file(name))
		require.NoError(t, err)
		require.Equal(t, waves, saved.Terms.Waves)
		require.NoError(t, alice.Submit(t.Context(), &verbs.SubmitOptions{Plan: file(name), Approve: true, Hold: 10 * time.Minute}))
		require.NoError(t, alice.SayAbout(t.Context(), &verbs.SayOptions{Verb: statement.Confirm, Run: "last"}))
	}
	hosts := []string{"a1", "a2", "b1", "b2"}

	require.Error(t, plan("too early", "a*,b*"))
	out.has(t, "Only the site dc1 reads leaf1, and has not found it as the fabric wants. Make several plans with --target")
	require.NoError(t, plan("switches"))
	out.has(t, "The change of this site has 2 steps, and this plan is the first of them. Make the plan again after it.")
	run("switches", "leaf1", "spine1", "leaf2", "spine2")
	require.NoError(t, plan("hosts"))
	run("hosts", hosts...)
	require.NoError(t, alice.SayAbout(t.Context(), &verbs.SayOptions{Verb: statement.Rollback, Run: "last", Yes: true}))
	require.NoError(t, plan("again"))
	run("again", hosts...)
	w.write(strings.Replace(linked, "lossless = true", "lossless = true\n  weight   = 60", 1))
	require.NoError(t, plan("weights"))
	run("weights", "leaf1", "spine1", "a[1-2]", "leaf2", "spine2", "b[1-2]")

	for site, names := range linkedOf {
		require.NoError(t, w.sites[site].watches[0].Look(t.Context()))
		w.stop(site)
		assert.Equal(t, slices.Sorted(slices.Values(names)), w.met(site))
		// Three runs and a rollback are on the hosts.
		assert.Equal(t, map[string]int{names[0]: 2, names[1]: 2, names[2]: 4, names[3]: 4}, w.counts(site))
	}
}

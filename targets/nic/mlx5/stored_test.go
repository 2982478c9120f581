package mlx5

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/nic/steps/store"
	"github.com/rocec/rocec/targets/target"
)

// factory is what the card stores at the start, as lines NAME DEFAULT CURRENT NEXT.
const factory = `CNP_DSCP_P1 48 46 46
CNP_DSCP_P2 48 46 46
LLDP_NB_DCBX_P1 False(0) True(1) True(1)
ROCE_CONTROL ROCE_ENABLE(2) ROCE_ENABLE(2) ROCE_ENABLE(2)
`

// withCard returns a host with one NIC that states stored parameters, and the machine with the tools of its card.
func withCard(t testing.TB, fault string) (*machine, *ir.Device) {
	f := newFabric()
	f.groups(f.rest, f.rdma, f.cnp)
	n := f.nic(t, "ens1f0", f.v2())
	n.Parameters = parametersOf(t, nil, map[string]int{"CNP_DSCP": 48, "LLDP_NB_DCBX": 0, "ROCE_CONTROL": 2}, "")
	d := f.host("gpu1", n)
	m := newMachine(t, d)
	m.inbox()
	require.NoError(t, os.WriteFile(filepath.Join(m.Fake, "nv"), []byte(factory), 0o644))
	for _, name := range []string{"mstconfig", "mstfwreset"} {
		b, err := os.ReadFile("testdata/card/" + name)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(m.Path("usr/sbin/"+name), b, 0o755))
	}
	m.Env = append(m.Env, "NV_FAULT="+fault, "ROCEC_WAIT=0")
	return m, d
}

// storedFile returns the live state of what the card of a NIC stores.
func storedFile(t testing.TB, d *ir.Device) target.File {
	for _, f := range rendered(t, d) {
		if f.Path == "stored/ens1f0" {
			return f
		}
	}
	t.Fatal("no state of the card")
	return target.File{}
}

// nv returns the values of a parameter of the card: in use, and after the next reset.
func (m *machine) nv(name string) string {
	for line := range strings.Lines(m.Read("fake/nv") + "\n") {
		if rest, is := strings.CutPrefix(line, name+" "); is {
			return strings.Join(strings.Fields(rest)[1:], " ")
		}
	}
	return ""
}

// storedArgs are the wanted values of withCard, as arguments of the script.
var storedArgs = []string{"ens1f0", "nvram_CNP_DSCP=48", "nvram_LLDP_NB_DCBX=0", "nvram_ROCE_CONTROL=2"}

// TestStore runs the verbs of the step on a card, with every way in which it can fail. A value that counts only after the next reset is
// never accepted as set, and nothing is stored on a card that cannot be reset.
func TestStore(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, fault  string
		befall       func(m *machine)
		store, reset string // messages; empty: the verb succeeds
		plan         string // the message of plan; empty: it plans the change
		end          string // CNP_DSCP at the end: in use, and after the next reset
	}{
		{name: "settable", end: "48 48"},
		{
			name: "no tool", befall: gone("mstconfig", "mlxconfig"), end: "46 46",
			store: "unreadable: mlxconfig cannot read CNP_DSCP_P1", plan: "mlxconfig cannot read CNP_DSCP_P1",
		},
		{
			name: "no tool at all", befall: func(m *machine) { m.Remove("usr/sbin/mstconfig") }, end: "46 46",
			store: "unsupported: no tool reads what the card stores; install mstflint (mstconfig)", plan: "install mstflint (mstconfig)",
		},
		{
			name: "no reset tool", befall: func(m *machine) { m.Remove("usr/sbin/mstfwreset") }, end: "46 46",
			store: "no tool resets the card; install mstflint (mstfwreset), or set it by hand and restart the host",
			plan:  "not possible here: no tool resets the card",
		},
		{
			name: "only a restart resets", fault: "reboot", end: "46 46",
			store: "mstfwreset cannot reset this card while the host runs; set it by hand, and restart the host",
			plan:  "not possible here: mstfwreset cannot reset this card while the host runs",
		},
		{
			name: "no knob", end: "",
			befall: func(m *machine) {
				text := strings.ReplaceAll(factory, "CNP_DSCP", "OTHER")
				require.NoError(m.T, os.WriteFile(m.Path("fake/nv"), []byte(text), 0o644))
			},
			store: "nvram_CNP_DSCP cannot be set here: unreadable: mstconfig cannot read CNP_DSCP_P1", plan: "its firmware lacks the parameter",
		},
		{
			name: "unreadable", fault: "shut", end: "46 46",
			store: "nvram_CNP_DSCP cannot be set here: unreadable: mstconfig cannot read CNP_DSCP_P1", plan: "Secure Boot locks the card",
		},
		{
			name: "refused", fault: "refuse", end: "46 46",
			store: "mstconfig cannot store CNP_DSCP_P1=48 LLDP_NB_DCBX_P1=0: -E- Failed to set CNP_DSCP_P1",
		},
		{
			name: "reset fails", fault: "stuck", end: "46 48",
			reset: "mstfwreset cannot reset the card: -E- Failed to send Register MFRL: Timed out",
		},
		{
			name: "only next boot", fault: "deaf", end: "46 48",
			reset: "nvram_CNP_DSCP is 46; 48 after the next reset of the card, not 48, after the reset of the card",
		},
		{name: "does not come back", fault: "lost", end: "48 48", reset: "the interface did not come back in 0 s after the reset of the card"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m, d := withCard(t, c.fault)
			if c.befall != nil {
				c.befall(m)
			}
			show := m.Exec("dash", append([]string{"stored"}, storedArgs...))
			require.Zero(t, show.Code, show.Err)
			_, ds := storedFile(t, d).Edit([]byte(show.Out))
			if c.plan == "" {
				assert.Empty(t, ds)
			} else if assert.NotEmpty(t, ds) {
				assert.Contains(t, ds[0].Detail, c.plan)
				assert.True(t, ds.HasErrors())
			}
			store := m.Exec("dash", append([]string{"store"}, storedArgs...))
			if c.store != "" {
				assert.NotZero(t, store.Code)
				assert.Contains(t, store.Err, c.store)
				assert.Equal(t, c.end, m.nv("CNP_DSCP_P1"))
				assert.Empty(t, m.Log(), "nothing is stored or reset")
				return
			}
			require.Zero(t, store.Code, store.Err)
			assert.Equal(t, "46 48", m.nv("CNP_DSCP_P1"), "stored, and not in use")
			mid, _ := storedFile(t, d).Edit([]byte(m.Exec("dash", append([]string{"stored"}, storedArgs...)).Out))
			assert.Contains(t, string(mid), "nvram_CNP_DSCP=48\n")
			assert.Contains(t, m.Exec("dash", append([]string{"stored"}, storedArgs...)).Out,
				"nvram_CNP_DSCP=46; 48 after the next reset of the card\n", "it is drift")
			reset := m.Exec("dash", append([]string{"reset"}, storedArgs...))
			assert.Equal(t, c.end, m.nv("CNP_DSCP_P1"))
			if c.reset != "" {
				assert.NotZero(t, reset.Code)
				assert.Contains(t, reset.Err, c.reset)
				return
			}
			require.Zero(t, reset.Code, reset.Err)
			assert.Equal(t, "46 46", m.nv("CNP_DSCP_P2"), "the other port keeps its value")
			assert.Equal(t, []string{"mstconfig set CNP_DSCP_P1=48", "mstconfig set LLDP_NB_DCBX_P1=0", "mstfwreset"}, m.Log())
			assert.Equal(t, "nvram_CNP_DSCP=46\nnvram_LLDP_NB_DCBX=1", m.Read("var/lib/rocec/rocec-host/ens1f0.stored"))
			now := m.Exec("dash", append([]string{"stored"}, storedArgs...)).Out
			assert.Equal(t, "nvram_CNP_DSCP=48\nnvram_LLDP_NB_DCBX=0\nnvram_ROCE_CONTROL=2\nreset=possible\ncard=ens1f0\n", now)
			same, ds := storedFile(t, d).Edit([]byte(now))
			assert.Empty(t, ds)
			assert.Equal(t, now, string(same), "no drift")
			for _, verb := range []string{"store", "reset"} { // a second time they change nothing
				require.Zero(t, m.Exec("dash", append([]string{verb}, storedArgs...)).Code)
			}
			assert.Len(t, m.Log(), 3)
		})
	}
}

// TestStoredAnswerCutOff: a value that the answer of a host lacks is not known, and counts as a change.
func TestStoredAnswerCutOff(t *testing.T) {
	_, d := withCard(t, "")
	whole := "nvram_CNP_DSCP=48\nnvram_LLDP_NB_DCBX=0\nnvram_ROCE_CONTROL=2\n"
	for _, answer := range []string{
		"nvram_CNP_DSCP=48\n", "nvram_CNP_DSCP=48\nnvram_LLDP_NB_DC", "\x00", "nvram_CNP_DSCP=\n", "nvram_CNP_DSCP\n\n\n",
		"card=ens1f0\nreset=possible\n",
	} {
		next, ds := storedFile(t, d).Edit([]byte(answer))
		assert.Empty(t, ds, "%q", answer)
		assert.NotEqual(t, answer, string(next))
		for line := range strings.Lines(whole) {
			assert.Equal(t, 1, strings.Count("\n"+string(next), "\n"+line), "%q", answer)
		}
	}
	next, ds := storedFile(t, d).Edit([]byte("nvram_CNP_DSCP=48\nnvram_CNP_DSCP=46\n" + whole))
	assert.Empty(t, ds)
	assert.NotContains(t, string(next), "=46", "an answer with two values has none")
	same, ds := storedFile(t, d).Edit([]byte(whole))
	assert.Empty(t, ds)
	assert.Equal(t, whole, string(same))
}

// TestStoreSteps runs the step and its undo as a device does. The undo, and leaving, restore what the card stored before rocec.
func TestStoreSteps(t *testing.T) {
	t.Parallel()
	m, d := withCard(t, "")
	state := storedFile(t, d)
	before := m.Exec("dash", append([]string{"stored"}, storedArgs...)).Out
	run := func(cmd string) {
		t.Helper()
		cmd = strings.ReplaceAll(cmd, "/var/lib/rocec", m.Root+"/var/lib/rocec")
		c := exec.Command(machinetest.Need(t, "dash"), "-c", cmd)
		c.Env, c.Stdin = m.Env, bytes.NewReader(m.Script)
		out, err := c.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	m.Write("live/stored/ens1f0", strings.TrimSuffix(before, "\n"))
	m.Env = append(m.Env, "ROCEC_LIVE="+m.Path("live"))
	step := state.Activate
	assert.True(t, step.Alone)
	assert.Equal(t, "mlx5 store ens1f0,nvram_CNP_DSCP=48,nvram_LLDP_NB_DCBX=0,nvram_ROCE_CONTROL=2", step.Name)
	assert.Equal(t, "the card of ens1f0 is reset: its ports and all of their functions are down", step.Disrupts)
	made, err := Target.Recall(strings.Fields(step.Name)[1:], nil)
	require.NoError(t, err)
	assert.Equal(t, step.Cmd, made.Step.Cmd)
	assert.True(t, made.Step.Alone)

	run(step.Cmd)
	assert.Equal(t, "48 48", m.nv("CNP_DSCP_P1"))
	run(step.Undo.Cmd)
	assert.Equal(t, strings.TrimSpace(factory), strings.TrimSpace(m.Read("fake/nv")), "the undo restores everything")
	assert.False(t, m.Has("var/lib/rocec/rocec-host/ens1f0.stored"))

	// A value that was stored for the next reset before rocec is stored for the next reset again.
	pending := strings.Replace(factory, "CNP_DSCP_P1 48 46 46", "CNP_DSCP_P1 48 46 47", 1)
	require.NoError(t, os.WriteFile(m.Path("fake/nv"), []byte(pending), 0o644))
	m.Write("live/stored/ens1f0", strings.TrimSuffix(m.Exec("dash", append([]string{"stored"}, storedArgs...)).Out, "\n"))
	run(step.Cmd)
	run(step.Undo.Cmd)
	assert.Equal(t, strings.TrimSpace(pending), strings.TrimSpace(m.Read("fake/nv")))
	require.NoError(t, os.WriteFile(m.Path("fake/nv"), []byte(factory), 0o644))
	m.Remove("var/lib/rocec")

	run(step.Cmd)
	held := m.Sh(strings.ReplaceAll(Target.Cleanup(d)[0].Query.Cmd, "/var/lib/rocec", m.Root+"/var/lib/rocec"))
	gone := *d
	gone.Host = &ir.Host{}
	var leaves *target.File
	files := Target.Cleanup(&gone)[0].Files([]byte(held))
	for i := range files {
		if files[i].Path == "stored/ens1f0" {
			leaves = &files[i]
		}
	}
	require.NotNil(t, leaves, held)
	assert.Equal(t, "mlx5 store ens1f0,leaves,nvram_CNP_DSCP=46,nvram_LLDP_NB_DCBX=1", leaves.Activate.Name)
	now := m.Exec("dash", []string{"stored", "ens1f0", "nvram_CNP_DSCP=46", "nvram_LLDP_NB_DCBX=1"}).Out
	assert.Equal(t, "mlx5 stored ens1f0,nvram_CNP_DSCP=46,nvram_LLDP_NB_DCBX=1", leaves.Live.Name)
	next, ds := leaves.Edit([]byte(now))
	require.Empty(t, ds)
	assert.Equal(t, strings.NewReplacer("CNP_DSCP=48", "CNP_DSCP=46", "DCBX=0", "DCBX=1").Replace(now), string(next))
	text, outage := Target.Noticed(&gone, &leaves.Activate, func(path string) (before, after []byte, changes bool) {
		return []byte(now), next, path == "stored/ens1f0"
	})
	assert.Contains(t, text, "ens1f0", "the host has no such NIC, and its card is reset")
	assert.Equal(t, store.ResetTime, outage.Most)
	m.Write("live/stored/ens1f0", strings.TrimSuffix(now, "\n"))
	run(leaves.Activate.Cmd)
	assert.Equal(t, strings.TrimSpace(factory), strings.TrimSpace(m.Read("fake/nv")), "leaving is the identity")
	assert.False(t, m.Has("var/lib/rocec/rocec-host"))
	run(leaves.Activate.Undo.Cmd)
	assert.Equal(t, "48 48", m.nv("CNP_DSCP_P1"))
	assert.Equal(t, "nvram_CNP_DSCP=46\nnvram_LLDP_NB_DCBX=1", m.Read("var/lib/rocec/rocec-host/ens1f0.stored"), "it can leave again")
}

// TestStoredOnBothPorts: the ports of a card store before the one reset that serves both.
func TestStoredOnBothPorts(t *testing.T) {
	f := newFabric()
	f.groups(f.rest, f.rdma, f.cnp)
	in := f.v2()
	var nics []*ir.NIC
	for _, name := range []string{"ens1f0", "ens1f1"} {
		n := f.nic(t, name, in)
		n.Parameters = parametersOf(t, nil, map[string]int{"CNP_DSCP": 48}, "")
		nics = append(nics, n)
	}
	d := f.host("gpu1", nics...)
	other := f.nic(t, "ens1f0", in)
	f.host("gpu2", other)
	in.Name = "storage"
	for _, n := range append(nics, other) {
		in.Members = append(in.Members, &ir.Member{NIC: n})
	}
	d.Fabric.Intents = []*ir.Intent{in}
	var step *target.Step
	for _, f := range rendered(t, d) {
		if strings.HasPrefix(f.Path, "stored/") {
			require.True(t, step == nil || step.Name == f.Activate.Name, "one step for the host")
			step = &f.Activate
		}
	}
	cmd := step.Cmd
	assert.Less(t, strings.LastIndex(cmd, " store ens1f1"), strings.Index(cmd, " reset ens1f0"))
	changed := map[string]string{}
	live := func(path string) (before, after []byte, changes bool) {
		text, is := changed[path]
		return []byte(text), nil, is
	}
	for _, c := range []struct {
		changed map[string]string
		want    string
		cards   int
	}{
		{
			map[string]string{"stored/ens1f0": "card=ens1f0,ens1f1\n", "stored/ens1f1": "card=ens1f0,ens1f1\n"},
			"the card of ens1f0, ens1f1 is reset: its ports and all of their functions are down; gpu1 reaches none of gpu2 in storage", 1,
		},
		{
			map[string]string{"stored/ens1f0": "card=ens1f0\n", "stored/ens1f1": "card=ens1f1\n"},
			"the cards of ens1f0, ens1f1 are reset, one after the other: their ports and all of their functions are down; gpu1 reaches none", 2,
		},
		{
			map[string]string{"stored/ens1f0": "card=ens9,$(reboot)\n"}, // the host does not show the card
			"the card of ens1f0 is reset: its ports and all of their functions are down; gpu1 reaches gpu2 of storage by 1 other interface alone", 1,
		},
		{nil, "", 0},
	} {
		clear(changed)
		maps.Copy(changed, c.changed)
		text, outage := Target.Noticed(d, step, live)
		assert.True(t, strings.HasPrefix(text, c.want), text)
		assert.Equal(t, c.cards, int(outage.Most/store.ResetTime))
	}
}

// TestSharedByPorts: two ports of one card cannot have different values of a parameter that the card has once. Before the host shows its
// cards, nothing is known of that.
func TestSharedByPorts(t *testing.T) {
	f := newFabric()
	f.groups(f.rest, f.rdma, f.cnp)
	first, second := f.nic(t, "ens1f0", f.v2()), f.nic(t, "ens1f1")
	first.Parameters = parametersOf(t, nil, map[string]int{"ROCE_CONTROL": 2, "CNP_DSCP": 48}, "")
	second.Parameters = parametersOf(t, nil, map[string]int{"ROCE_CONTROL": 0, "CNP_DSCP": 46}, "")
	d := f.host("gpu1", first, second)
	for answer, refused := range map[string]bool{
		"nvram_CNP_DSCP=48\nnvram_ROCE_CONTROL=2\nreset=possible\ncard=ens1f0,ens1f1\n": true,
		"nvram_CNP_DSCP=48\nnvram_ROCE_CONTROL=2\nreset=possible\ncard=ens1f0\n":        false,
		"nvram_CNP_DSCP=48\nnvram_ROCE_CONTROL=2\nreset=possible\ncard=ens1f1,x\n":      false,
		"": false,
	} {
		_, ds := storedFile(t, d).Edit([]byte(answer))
		require.Equal(t, refused, ds.HasErrors(), "%q %v", answer, ds)
		if refused {
			assert.Contains(t, ds[0].Detail, "nvram_ROCE_CONTROL of the nic ens1f0 of the host group gpu: it is ROCE_ENABLE, and "+
				"DEVICE_DEFAULT for ens1f1, which is a port of the same card. The ports share this value")
			assert.Len(t, ds, 1, "each port has its own CNP_DSCP")
		}
	}
}

// TestStoredInReport: a host's own report shows stored parameters as the state of the card, and only the script of a host compares them.
func TestStoredInReport(t *testing.T) {
	m, d := withCard(t, "")
	check := m.Exec("dash", []string{"check", "ens1f0"})
	assert.NotZero(t, check.Code)
	assert.Contains(t, check.Out, "nvram_CNP_DSCP is 46, not 48\n")
	apply := m.Exec("dash", []string{"apply", "ens1f0"})
	assert.Contains(t, apply.Err, "nvram_CNP_DSCP is 46, the fabric says 48: rocec apply sets it, and resets the card\n")
	assert.NotContains(t, strings.Join(m.Log(), "\n"), "mst", "apply stores nothing")
	out := Target.Reported(d, &target.Report{NICs: []target.ReportedNIC{{
		Name: "ens1f0", Driver: "mlx5_core", Settings: map[string]string{"pfc": "0,0,0,0,1,0,0,0", "nvram_CNP_DSCP": "46"},
	}}})
	assert.Equal(t, "nvram_CNP_DSCP=46\n", string(out.States["stored/ens1f0"]))
	assert.Equal(t, "pfc=0,0,0,0,1,0,0,0\n", string(out.States["nic/ens1f0"]))
}

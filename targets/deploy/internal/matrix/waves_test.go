//go:build linux

package matrix

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/deploy/internal/nspawn"
)

// Two leaves and two spines. leaf1 and both spines are real devices.
const twoSpines = `fabric "rack" {
  mtu     = 9216
  routing = "up-down"
}

` + classes + `
host "gpu" {
  names = "gpu[1-2]"
  nic "ens1f0" {
    model = "connectx-5"
    mtu   = 9000
  }
  by_hand {
    confirmed = "the test"
  }
}

switch "far" {
  names = "leaf2"
  model = "sn2700"
  by_hand {
    confirmed = "the test"
  }
}

link "hosts" {
  a      = "gpu[1-2]:ens1f0"
  b      = "leaf[1-2]:swp1"
  speed  = "25G"
  length = "3m"
}

link "uplinks" {
  a      = "leaf[1-2]:swp[31-32]"
  b      = "spine1:swp1,spine2:swp1,spine1:swp2,spine2:swp2"
  speed  = "25G"
  length = "3m"
}
`

// line is an event of apply --format json.
type line struct {
	Event, Device, Step, State, Outcome string
	Result                              struct {
		Until int `json:"until_seconds"`
	}
	Summary map[string]int
	Stopped string
}

func (r *ran) lines(t *testing.T) (out []line) {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(r.out))
	for dec.More() {
		var l line
		require.NoError(t, dec.Decode(&l), "%s", r)
		out = append(out, l)
	}
	return out
}

// rack contains the real devices of twoSpines and their operator.
type rack struct {
	*operator
	device map[string]*nspawn.Device
}

func newRack(t *testing.T) *rack {
	t.Helper()
	bin := rocec(t)
	factory := map[string]string{traffic: "# by hand\ntraffic.packet_priority_source_set = [802.1p]\n"}
	device := func(name string, ports ...string) nspawn.Options {
		o := nspawn.Options{Name: name, Files: factory}
		for _, p := range ports {
			o.Ports = append(o.Ports, nspawn.Port{Name: p, MTU: 9216})
		}
		return o
	}
	acquire(t, 3)
	fleet := nspawn.Fleet(t, nspawn.Switch37, []nspawn.Options{
		device("leaf1", "swp1", "swp31", "swp32"), device("spine1", "swp1", "swp2"), device("spine2", "swp1", "swp2"),
	})
	o, err := newOperator(bin, fleet[0])
	require.NoError(t, err)
	// A wave waits beyond its deadline while later waves may be down.
	o.set("ROCEC_TEST_STEP", fleet[0].Slowed(6*time.Second).String())
	t.Cleanup(func() { assert.NoError(t, o.close()) })
	r := &rack{operator: o, device: map[string]*nspawn.Device{}}
	fabric, keys := twoSpines, ""
	for _, d := range fleet {
		r.device[d.Name] = d
		keys += "IdentityFile " + d.Key.Path + "\n"
		fabric += fmt.Sprintf("switch %q {\n  model = \"sn2700\"\n  os = \"cumulus-linux\"\n  version = \"3.7.12\"\n"+
			"  ssh {\n    address = %q\n    user = %q\n    host_key = %q\n  }\n}\n", d.Name, d.Addr, d.User, d.HostKey.Fingerprint)
	}
	require.NoError(t, os.WriteFile(filepath.Join(o.dir, "fabric/fabric.hcl"), []byte(fabric), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(o.dir, "home/.ssh/config"), []byte(keys), 0o600))
	return r
}

// another returns a second operator of the same devices, on a separate machine.
func (r *rack) another(t *testing.T) *rack {
	t.Helper()
	o, err := newOperator(r.bin, r.device["leaf1"])
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, o.close()) })
	for _, name := range []string{"fabric/fabric.hcl", "home/.ssh/config"} {
		text, err := os.ReadFile(filepath.Join(r.dir, name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(o.dir, name), text, 0o600))
	}
	return &rack{operator: o, device: r.device}
}

// ends runs rocec, which must end with the given status.
func (r *rack) ends(t *testing.T, status int, args ...string) *ran {
	t.Helper()
	said, err := r.run(t.Context(), args...)
	require.NoError(t, err)
	require.Equal(t, status, said.status, "%s", said)
	return said
}

func (r *rack) link(t *testing.T, name, port, state string) {
	t.Helper()
	_, err := r.device[name].Exec("ip link set " + port + " " + state)
	require.NoError(t, err)
}

// written reports whether a device has the content that rocec writes, with the given weight.
func (r *rack) written(t *testing.T, name string, weight int) bool {
	t.Helper()
	text, err := r.device[name].ReadFile(traffic)
	require.NoError(t, err)
	return strings.Contains(string(text), fmt.Sprintf(".weight = %d\n", weight))
}

// began returns the start time of a device's switchd, on the clock that all devices share.
func (r *rack) began(t *testing.T, name string) time.Duration {
	t.Helper()
	out, err := r.device[name].Exec("systemctl show switchd -p ExecMainStartTimestampMonotonic --value")
	require.NoError(t, err)
	n, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	require.NoError(t, err)
	return time.Duration(n) * time.Microsecond
}

// If a spine is cut off before the run or is lost while a wave is drained, the other spine is not changed. Otherwise one spine changes
// after the other. Without a confirm they go back one after the other, the last one first.
func TestSpineDown(t *testing.T) {
	t.Parallel()
	r := newRack(t)

	r.link(t, "leaf1", "swp32", "down")
	for _, verb := range [][]string{{"plan"}, {"apply", "--auto-approve"}} {
		said := r.ends(t, 1, append(verb, "--target", "spine1")...)
		assert.Contains(t, said.errs, "While spine1 passes no traffic, gpu1 cannot reach gpu2.", "%s", said)
	}
	require.False(t, r.written(t, "spine1", 60))

	r.link(t, "leaf1", "swp32", "up")
	drained, on := filepath.Join(r.dir, "drained"), filepath.Join(r.dir, "on")
	hook := `case "$ROCEC_DEVICES" in spine*) echo "$ROCEC_DEVICES" >` + drained + `.new; mv ` + drained + `.new ` + drained +
		`; until [ -e ` + on + ` ]; do sleep 0.1; done;; esac`
	u, err := r.start(t.Context(), "apply", "--auto-approve", "--format", "json", "--drain", "sh", "--drain", "-c", "--drain", hook)
	require.NoError(t, err)
	var first string
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(drained)
		first = strings.TrimSpace(string(text))
		return err == nil
	}, 20*time.Minute, 50*time.Millisecond)
	require.Contains(t, []string{"spine1", "spine2"}, first)
	r.link(t, "leaf1", map[string]string{"spine1": "swp32", "spine2": "swp31"}[first], "down")
	require.NoError(t, os.WriteFile(on, nil, 0o600))
	said, err := u.wait()
	require.NoError(t, err)
	require.Equal(t, exitIncomplete, said.status, "%s", said)
	lines := said.lines(t)
	assert.Equal(t, "fabric", lines[len(lines)-1].Stopped, "%s", said)
	for _, name := range []string{"spine1", "spine2"} {
		assert.False(t, r.written(t, name, 60), "%s: %s", name, said)
	}
	for _, port := range []string{"swp31", "swp32"} {
		r.link(t, "leaf1", port, "up")
	}

	said = r.ends(t, 0, "apply", "--auto-approve", "--format", "json")
	lines = said.lines(t)
	ended := slices.IndexFunc(lines, func(l line) bool { return l.Event == "device" && l.Device == first && l.Outcome == "applied" })
	second := map[string]string{"spine1": "spine2", "spine2": "spine1"}[first]
	begun := slices.IndexFunc(lines, func(l line) bool { return l.Device == second && l.Step == "activate" })
	require.GreaterOrEqual(t, ended, 0, "%s", said)
	assert.Greater(t, begun, ended, "%s began before %s had ended: %s", second, first, said)
	r.ends(t, 0, "plan", "--detailed-exitcode")

	hold := r.device["leaf1"].Slowed(12 * time.Second).String()
	said = r.ends(t, 0, "apply", "--auto-approve", "--format", "json", "--confirm", hold, "--var", "weight=70")
	order := []string{"leaf1", first, second}
	var was []time.Duration
	for _, name := range order {
		require.True(t, r.written(t, name, 70), "%s: %s", name, said)
		was = append(was, r.began(t, name))
	}
	require.True(t, slices.IsSorted(was), "%v: %s", was, said)
	require.Eventually(t, func() bool {
		return !slices.ContainsFunc(order, func(name string) bool { return !r.written(t, name, 60) || slices.Contains(was, r.began(t, name)) })
	}, 30*time.Minute, 200*time.Millisecond, "%s", said)
	assert.Less(t, r.began(t, second), r.began(t, first), "the last wave goes back first: %s", said)
	assert.Less(t, r.began(t, first), r.began(t, "leaf1"), "the last wave goes back first: %s", said)
	for _, name := range order {
		assert.True(t, r.written(t, name, 60), "%s: %s", name, said)
	}
}

// TestTwoSpines: two operators begin together, each with one spine. One operator changes its spine, and the other operator changes
// nothing. While the change is not confirmed, the spine may go back by itself, so no operator may change the other spine.
func TestTwoSpines(t *testing.T) {
	t.Parallel()
	one := newRack(t)
	two := one.another(t)
	for round := range times(2, 20) {
		var under []*under
		for i, o := range []*rack{one, two} {
			u, err := o.start(t.Context(), "apply", "--auto-approve", "--format", "json", "--confirm", "10m", "--target", fmt.Sprint("spine", i+1))
			require.NoError(t, err)
			under = append(under, u)
		}
		said := make([]*ran, 2)
		for i, u := range under {
			var err error
			said[i], err = u.wait()
			require.NoError(t, err)
		}
		won := slices.IndexFunc(said, func(r *ran) bool { return r.status == 0 })
		require.GreaterOrEqual(t, won, 0, "round %d: neither went first\n%s%s", round, said[0], said[1])
		require.Equal(t, exitLocked, said[1-won].status, "round %d\n%s%s", round, said[0], said[1])
		for i, name := range []string{"spine1", "spine2"} {
			require.Equal(t, i == won, one.written(t, name, 60), "round %d, %s\n%s%s", round, name, said[0], said[1])
			out, err := one.device[name].Exec("cat /run/rocec/mark 2>/dev/null || true")
			require.NoError(t, err)
			require.Empty(t, out, "%s keeps a mark", name)
		}

		winner, loser := []*rack{one, two}[won], []*rack{one, two}[1-won]
		held := last(t, winner.operator)
		late := loser.ends(t, exitLocked, "apply", "--auto-approve", "--target", fmt.Sprint("spine", 2-won))
		require.Contains(t, late.errs, "run "+held, "%s", late)
		winner.ends(t, 0, "rollback", "--auto-approve", held)
		require.False(t, one.written(t, fmt.Sprint("spine", won+1), 60))
	}
}

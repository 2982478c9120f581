package changes

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/lab/labtest"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/judge/judgetest"
	"github.com/rocec/rocec/targets/sonic/sim"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/targettest"
)

// sonicBox is a SONiC switch with the rack of byFiles.
type sonicBox struct {
	*labtest.Box
	sw *sim.Switch
}

func bySONiC(t *testing.T, hcl string) *sonicBox {
	t.Helper()
	tree := switchOf(t, hcl)
	require.Equal(t, "sonic", tree.Devices[0].Target.Name)
	b := labtest.New(t, tree)
	return &sonicBox{b, targettest.Sim[*sim.Switch](b.Sims())}
}

// running returns the running CONFIG_DB of the switch.
func (b *sonicBox) running(t *testing.T) string {
	t.Helper()
	return b.Root(t, "sonic-cfggen -d --print-data")
}

// groups returns the priority groups of the chip.
func (b *sonicBox) groups(t *testing.T) string {
	t.Helper()
	return b.Root(t, `for p in 0 4 8 12; do for k in $(sonic-db-cli APPL_DB KEYS "BUFFER_PG_TABLE:Ethernet$p:*" | sort); do `+
		`echo "$k $(sonic-db-cli APPL_DB HGET "$k" profile)"; done; done`)
}

// TestBySONiC plans, patches, saves and verifies a switch of any release, which keeps the change after a restart. Settings of others stay.
// The chip gets only the lossless settings, and traffic of other ports is never interrupted.
func TestBySONiC(t *testing.T) {
	for i, release := range sim.Releases() {
		t.Run(release, func(t *testing.T) {
			t.Parallel()
			if i > 0 { // one release is enough with -short
				machinetest.Long(t)
			}
			b := bySONiC(t, judgetest.SONiCRack(release))
			b.Root(t, "sonic-db-cli CONFIG_DB HSET 'SNMP|LOCATION' Location secret && config save -y")
			require.Contains(t, b.groups(t), "BUFFER_PG_TABLE:Ethernet0:3-4 ")
			p := b.Plan(t)
			require.Equal(t, deploy.StatusChange, p.Status, "%v", p.Err)
			factory := p.Changes[0]
			require.NotContains(t, string(factory.Before), "secret", "settings that rocec does not need do not leave the switch")

			r := labtest.Apply(t, b.Tree, b.Dial).Devices[0]
			require.Equal(t, deploy.Applied, r.Outcome, "%v %v %s", r.Err, r.Undo, r.Text())
			assert.Contains(t, b.running(t), "secret")
			assert.Contains(t, b.groups(t), "BUFFER_PG_TABLE:Ethernet0:3 ")
			assert.NotContains(t, b.groups(t), "BUFFER_PG_TABLE:Ethernet0:3-4 ", "no other program removes a group")
			assert.Contains(t, b.groups(t), "BUFFER_PG_TABLE:Ethernet12:3-4 ", "a port that is not of the fabric stays as it is")
			assert.Zero(t, b.sw.Disrupted())
			b.Reboot()
			p = b.Plan(t)
			require.Equal(t, deploy.StatusSame, p.Status, "%v", p.Err)
			good := 0
			for _, s := range p.Baseline {
				if s.Name == "headroom" && s.Unit == target.UnitState {
					good += int(s.Value)
				}
			}
			assert.Positive(t, good, "the settings of the chip were read")

			r = b.Back(t, factory)
			require.Equal(t, deploy.Applied, r.Outcome, "%v %v %s", r.Err, r.Undo, r.Text())
			assert.Contains(t, b.groups(t), "BUFFER_PG_TABLE:Ethernet0:3-4 ")
			assert.NotContains(t, b.running(t), "ROCEC")
			b.Reboot()
			assert.NotContains(t, b.running(t), "ROCEC", "the restored settings are saved, too")
		})
	}
}

// TestSONiCDynamic: if the switch computes headroom itself, lossless groups are written without sizes.
func TestSONiCDynamic(t *testing.T) {
	for i, release := range sim.Releases() {
		t.Run(release, func(t *testing.T) {
			t.Parallel()
			if i > 0 { // one release is enough with -short
				machinetest.Long(t)
			}
			b := bySONiC(t, judgetest.SONiCRack(release))
			b.dynamic(t)
			r := labtest.Apply(t, b.Tree, b.Dial).Devices[0]
			require.Equal(t, deploy.Applied, r.Outcome, "%v %v %s", r.Err, r.Undo, r.Text())
			assert.Equal(t, "NULL", b.sw.Row("BUFFER_PG", "Ethernet0|3")["profile"])
			assert.Contains(t, b.groups(t), "BUFFER_PG_TABLE:Ethernet0:3 pg_lossless_")
			p := b.Plan(t)
			require.Equal(t, deploy.StatusSame, p.Status, "%v", p.Err)
		})
	}
}

// dynamic makes the switch compute its headroom, like an image with the dynamic buffer model.
func (b *sonicBox) dynamic(t *testing.T) {
	t.Helper()
	b.Root(t, "config qos reload >/dev/null 2>&1; config save -y && systemctl restart swss")
	require.Equal(t, "dynamic", b.sw.Row("DEVICE_METADATA", "localhost")["buffer_model"])
}

// TestSONiCFails: after every kind of failure in a change, the switch has its old settings, and the report states the reason.
func TestSONiCFails(t *testing.T) {
	machinetest.Long(t)
	fault := func(f func(b *sonicBox)) func(b *sonicBox) { return func(b *sonicBox) { b.sw.Do(func() { f(b) }) } }
	for name, c := range map[string]struct {
		fault func(b *sonicBox)
		says  string
	}{
		"a patch that fails half way": {fault(func(b *sonicBox) { b.sw.Faults.Halfway = 7 }), "config apply-patch"},
		"a patch that is killed":      {fault(func(b *sonicBox) { b.sw.Faults.Killed = 9 }), "config apply-patch"},
		"a daemon that rewrites":      {fault(func(b *sonicBox) { b.sw.Faults.Rewrites = "SNMP|LOCATION" }), "config apply-patch"},
		"too little headroom":         {fault(func(b *sonicBox) { b.sw.Faults.Short = 1 << 20 }), "of headroom for priority 3"},
	} {
		for _, release := range []string{"202205", "202411", "202605"} {
			t.Run(name+" on "+release, func(t *testing.T) {
				t.Parallel()
				b := bySONiC(t, strings.Replace(judgetest.SONiCRack(release), `"3m"`, `"30m"`, 1))
				b.Root(t, "config save -y")
				before, groups := b.Plan(t).Changes[0].Before, b.groups(t)
				r := labtest.Apply(t, b.Tree, b.Dial, func(*rollout.ApplyOptions) { c.fault(b) }).Devices[0]
				require.Equal(t, deploy.Restored, r.Outcome, "%v %v %s", r.Err, r.Undo, r.Text())
				assert.Contains(t, r.Err.Detail, c.says)
				b.sw.Do(func() { b.sw.Faults = sim.Faults{} })
				assert.Equal(t, string(before), string(b.Plan(t).Changes[0].Before))
				assert.Equal(t, groups, b.groups(t))
				b.Reboot()
				assert.Equal(t, string(before), string(b.Plan(t).Changes[0].Before))
			})
		}
	}
}

// TestSONiCCut: after a broken connection at any command, the switch has the old or the new settings, and they are saved.
func TestSONiCCut(t *testing.T) {
	machinetest.Long(t)
	for at := range 24 {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			t.Parallel()
			b := bySONiC(t, judgetest.SONiCRack("202505"))
			b.Root(t, "config save -y")
			p := b.Plan(t).Changes[0]
			r := labtest.Apply(t, b.Tree, b.Dial, func(*rollout.ApplyOptions) { b.Cut = at }).Devices[0]
			holds := func() string {
				if now := b.Plan(t); len(now.Changes) > 0 {
					return string(now.Changes[0].Before)
				}
				return string(p.After)
			}
			want := string(p.Before)
			switch r.Outcome {
			case deploy.Applied:
				want = string(p.After)
			case deploy.Restored, deploy.Reverted, deploy.Refused, deploy.NotStarted:
			default:
				assert.Fail(t, "the run reports neither", "%s %v", r.Outcome, r.Err)
			}
			assert.Equal(t, want, holds(), "%s", r.Outcome)
			b.Reboot()
			assert.Equal(t, want, holds(), "the running settings are saved")
		})
	}
}

// TestSONiCPowerCut: a power cut while a change waits for its confirmation reverts the change, even if another program has saved it
// meanwhile.
func TestSONiCPowerCut(t *testing.T) {
	for _, saved := range []bool{false, true} {
		b := bySONiC(t, judgetest.SONiCRack("202511"))
		b.Root(t, "config save -y")
		before := b.Plan(t).Changes[0].Before
		r := labtest.Apply(t, b.Tree, b.Dial, func(o *rollout.ApplyOptions) { o.Hold = time.Hour }).Devices[0]
		require.Equal(t, deploy.Unconfirmed, r.Outcome, "%v", r.Err)
		if saved {
			b.Root(t, "config save -y")
		}
		b.PowerCut()
		p := b.Plan(t)
		require.Equal(t, deploy.StatusChange, p.Status, "%v", p.Err)
		assert.Equal(t, string(before), string(p.Changes[0].Before), "saved by another program: %t", saved)
	}
}

// TestSONiCRefused: if rocec must not change a box, the plan refuses it and says what to do, and nothing is changed.
func TestSONiCRefused(t *testing.T) {
	for name, c := range map[string]struct {
		make func(t *testing.T, b *sonicBox)
		says string
	}{
		"swss is down": {func(t *testing.T, b *sonicBox) { b.Root(t, "systemctl stop swss") }, "so the chip gets no settings"},
		"another branch": {func(t *testing.T, b *sonicBox) {
			b.Root(t, "printf \"build_version: '20230531.19'\\nasic_type: mellanox\\n\" >/etc/sonic/sonic_version.yml")
		}, "runs SONiC 202305"},
		"an unknown branch": {func(t *testing.T, b *sonicBox) {
			b.Root(t, "printf 'build_version: SONiC.master.77-abc\\n' >/etc/sonic/sonic_version.yml")
		}, "whose branch rocec does not know"},
		"no SONiC": {func(t *testing.T, b *sonicBox) { b.Root(t, "rm /etc/sonic/sonic_version.yml") }, "does not report that it runs SONiC"},
		"another model": {func(_ *testing.T, b *sonicBox) {
			b.sw.Put("DEVICE_METADATA", "localhost", map[string]string{"platform": "x86_64-mlnx_msn2700-r0", "hwsku": "ACS-MSN2700"})
		}, "different model"},
		"no row of sizes": {func(t *testing.T, b *sonicBox) {
			b.Root(t, "f=$(ls -d /usr/share/sonic/device/*/*/pg_profile_lookup.ini) && printf '10000 5m 1 1 1 0\\n' >$f")
		}, "no sizes"},
		"garbage": {func(_ *testing.T, b *sonicBox) {
			b.sw.Do(func() { b.sw.Faults.Garbage = "Traceback (most recent call last):\n" })
		}, "its query failed"},
	} {
		t.Run(name, func(t *testing.T) {
			b := bySONiC(t, judgetest.SONiCRack("202505"))
			before := b.running(t)
			c.make(t, b)
			p := b.Plan(t)
			require.Equal(t, deploy.StatusRefused, p.Status, "%v", p.Err)
			assert.Contains(t, p.Err.Detail, c.says)
			b.sw.Do(func() { b.sw.Faults = sim.Faults{} })
			if name != "another model" {
				assert.Equal(t, before, b.running(t))
			}
		})
	}
}

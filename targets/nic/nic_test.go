package nic

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nic/steps"
	"github.com/rocec/rocec/targets/target"
)

func TestRemoving(t *testing.T) {
	loses := func(old, next string) bool {
		var a, b ir.Settings
		a.Set("ens1f0", readValues([]byte(old)))
		b.Set("ens1f0", readValues([]byte(next)))
		return a.Loses(&b)
	}
	for _, c := range []struct {
		old, new string
		want     bool
	}{
		{"pfc=0,0,0,1,1,0,0,0\n", "pfc=0,0,0,0,1,0,0,0\n", true},
		{"pfc=0,0,0,1,0,0,0,0\n", "pfc=0,0,0,0,1,0,0,0\n", true},
		{"pfc=0,0,0,0,1,0,0,0\n", "pfc=0,0,0,1,1,0,0,0\n", false},
		{"", "pfc=0,0,0,1,1,0,0,0\n", false},
		{"pfc=unsupported\n", "pfc=unsupported\n", false},
	} {
		assert.Equal(t, c.want, loses(c.old, c.new), "%q -> %q", c.old, c.new)
	}
}

func TestUnit(t *testing.T) {
	host, other := &steps.Kit{}, &steps.Kit{Suffix: "-x"}
	assert.Equal(t, "rocec-host-x@ens1f0.service", other.Unit("ens1f0"))
	assert.Equal(t, "rocec-host@ens1f0.service", host.Unit("ens1f0"))
	assert.Equal(t, "rocec-host@enp1s0f0np0.100.service", host.Unit("enp1s0f0np0.100"))
	assert.Equal(t, `rocec-host@roce\x2d0.service`, host.Unit("roce-0"))
	assert.Equal(t, `'rocec-host@roce\x2d0.service'`, Quote(host.Unit("roce-0")))
	assert.Equal(t, `'it'\''s'`, Quote("it's"))
}

// A unit of another program that sets the same settings is reported. rocec's own units and invalid names in the answer are not.
func TestSetterProbe(t *testing.T) {
	p := SetterProbe(&ir.Device{DevicePlaces: &ir.DevicePlaces{}, Name: "gpu1"})
	var hints []string
	for _, s := range p.Samples([]byte("/etc/systemd/system/roce.service\n/etc/systemd/system/rocec-host@.service\n/usr/local/sbin/rocec-host-x\n" +
		"/etc/tuned/roce/script.sh\n/etc/tuned/roce/script.sh\nnot a path\n\nrunning nic-configurati\nrunning /x\n/etc/a\x1b[2J\n")) {
		hints = append(hints, s.Hint)
	}
	const rest = " on gpu1 sets the same settings as rocec. The last writer wins: remove it, or remove rocec's settings from it."
	assert.Equal(t, []string{
		"/etc/systemd/system/roce.service" + rest, "/etc/tuned/roce/script.sh" + rest,
		"On gpu1, the NIC configuration operator of NVIDIA (nic-configuration-daemon) is running. The last writer wins: let only one of the " +
			"two programs set the NICs.",
		target.Escape("/etc/a\x1b[2J") + rest,
	}, hints)
}

// The test covers VLAN interfaces that Linux would not create, and addresses that no host can have.
func TestJudgeVLAN(t *testing.T) {
	for _, c := range []struct {
		name   string
		vlan   int
		create bool
		ip     string
		want   string
	}{
		{"ens1f0", 100, true, "192.0.2.1/24", ""},
		{"ens1f0", 100, true, "192.0.2.0/31", ""},
		{"ens1f0", 100, true, "2001:db8::1/64", ""},
		{"ens1f0", 100, true, "", ""},
		{"ens1f0", 100, false, "", ""},
		{"ens1f0", 100, false, "192.0.2.1/24", "states vlan_ip without create_vlan"},
		{"enp129s0f0np0", 1000, false, "", ""},
		{"enp129s0f0np0", 1000, true, "", "enp129s0f0np0.1000, which has 18 characters; Linux accepts 15"},
		{"ens1f0", 100, true, "192.0.2.0/24", "192.0.2.0/24, which no host can have"},
		{"ens1f0", 100, true, "192.0.2.255/24", "192.0.2.255/24, which no host can have"},
		{"ens1f0", 100, true, "0.0.0.0/0", "0.0.0.0/0, which no host can have"},
		{"ens1f0", 100, true, "224.0.0.1/24", "224.0.0.1/24, which no host can have"},
		{"ens1f0", 100, true, "127.0.0.1/8", "127.0.0.1/8, which no host can have"},
		{"ens1f0", 100, true, "fe80::1/64", "fe80::1/64, which no host can have"},
	} {
		in := &ir.Intent{Version: 1, VLAN: c.vlan, Group: &ir.CosGroup{}}
		n := &ir.NIC{
			NICPlaces: &ir.NICPlaces{}, Name: c.name, Device: &ir.Device{DevicePlaces: &ir.DevicePlaces{}, Group: "store", Host: &ir.Host{}},
			CreateVLAN: c.create,
			RoCE:       true, Intents: []*ir.Intent{in},
		}
		n.Port = ir.NewPort(n.Device, ir.PortSpec{NIC: n})
		ir.NewLink(n.Port, nil, ir.Link{})
		if c.ip != "" {
			n.VLANIP = netip.MustParsePrefix(c.ip)
		}
		var ds diag.List
		judgeVLAN(&ds, n)
		if c.want == "" {
			assert.Empty(t, ds, "%s %s", c.name, c.ip)
		} else if assert.Len(t, ds, 1, "%s %s", c.name, c.ip) {
			assert.Contains(t, ds[0].Detail, c.want)
		}
	}
}

// TestCloseGaps: the classes of priorities become numbers without a gap, in the same order, with the same shares. No other class has a
// share. A second time changes nothing.
func TestCloseGaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &Settings{}
		for i := range 8 {
			s.TC[i] = uint8(rapid.IntRange(0, 7).Draw(t, "class"))
			s.Share[i] = uint8(rapid.IntRange(0, 100).Draw(t, "share"))
			s.ETS[i] = rapid.Bool().Draw(t, "ets")
		}
		was := *s
		s.CloseGaps()
		var used [8]bool
		top := 0
		for p := range 8 {
			class := s.TC[p]
			used[class] = true
			top = max(top, int(class))
			assert.Equal(t, was.Share[was.TC[p]], s.Share[class])
			assert.Equal(t, was.ETS[was.TC[p]], s.ETS[class])
			for o := range 8 {
				assert.Equal(t, was.TC[p] < was.TC[o], s.TC[p] < s.TC[o])
			}
		}
		for class := range 8 {
			assert.Equal(t, class <= top, used[class])
			assert.True(t, used[class] || s.Share[class] == 0 && !s.ETS[class])
		}
		once := *s
		s.CloseGaps()
		assert.Equal(t, once.Card, s.Card)
	})
}

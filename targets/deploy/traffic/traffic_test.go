package traffic

import (
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/nic"
)

// exchange returns an exchange from h1 over leaf1 to h2, in priority 3 with DSCP 26, or with PCP 3 for an intent of version 1.
func exchange(version int) *Exchange {
	g := &ir.CosGroup{Name: "rdma", Cos: 3, DSCP: []ir.Claim{{Value: 26}}}
	in := &ir.Intent{Name: "training", Version: version, Group: g}
	if version == 1 {
		in.VLAN = 100
	}
	end := func(host string, ip string) (*ir.NIC, nic.GID) {
		n := &ir.NIC{Name: "ens1f0", Device: &ir.Device{Name: host}, TOS: -1}
		n.Port = ir.NewPort(n.Device, ir.PortSpec{Name: n.Name, NIC: n})
		return n, nic.GID{Dev: "rocep3s0f0", Port: 1, Index: 3, Addr: netip.MustParseAddr(ip)}
	}
	x := &Exchange{Intent: in, Port: 21000, Tool: Tools[0]}
	x.From, x.FromGID = end("h1", "::ffff:10.0.0.1")
	x.To, x.ToGID = end("h2", "::ffff:10.0.0.2")
	leaf := &ir.Device{Name: "leaf1"}
	port := func(name string) *ir.Port { return ir.NewPort(leaf, ir.PortSpec{Name: name}) }
	x.Path = []Hop{
		{Out: []*ir.Port{x.From.Port}},
		{In: []*ir.Port{port("swp1")}, Out: []*ir.Port{port("swp2"), port("swp3")}},
		{In: []*ir.Port{x.To.Port}},
	}
	return x
}

func TestTools(t *testing.T) {
	for _, c := range []struct {
		version        int
		from, to, want string
	}{
		{2, "ib_write_bw\nrping\n", "rping\nib_write_bw\n", "ib_write_bw"},
		{2, "ibv_rc_pingpong\nrping\n", "ibv_rc_pingpong\nrping\n", "rping"}, // ibv_rc_pingpong cannot set a DSCP
		{1, "ibv_rc_pingpong\nrping\n", "ibv_rc_pingpong\nrping\n", "ibv_rc_pingpong"},
		{1, "rping\n", "rping\n", ""},
		{2, "ib_write_bw\n", "rping\n", ""},
		{2, "ib_write_bwx\n", "", ""},
	} {
		got := ""
		if tool := Choose(exchange(c.version).Intent, []byte(c.from), []byte(c.to)); tool != nil {
			got = tool.Name
		}
		assert.Equal(t, c.want, got, "%+v", c)
	}
	for name, want := range map[string][2]string{
		"ib_write_bw": {
			"ib_write_bw -d rocep3s0f0 -i 1 -x 3 -p 21000 -n 1000 -s 4096 -F --tclass=104",
			"ib_write_bw -d rocep3s0f0 -i 1 -x 3 -p 21000 -n 1000 -s 4096 -F --tclass=104 10.0.0.2",
		},
		"rping": {"rping -s -a 10.0.0.2 -p 21000 -C 1000 -S 4096", "rping -c -a 10.0.0.2 -p 21000 -C 1000 -S 4096"},
		"ucmatose": {
			"ucmatose -b 10.0.0.2 -p 21000 -C 1000 -S 4096 -t 104",
			"ucmatose -b 10.0.0.1 -p 21000 -C 1000 -S 4096 -t 104 -s 10.0.0.2",
		},
	} {
		x := exchange(2)
		x.Tool = Choose(x.Intent, []byte(name), []byte(name))
		assert.Contains(t, x.Server().Cmd, " "+want[0]+" 2>&1")
		assert.Contains(t, x.Client().Cmd, " "+want[1]+" 2>&1")
	}
	x := exchange(1)
	assert.Contains(t, x.Client().Cmd, "-F --sl=3 10.0.0.2 2>&1")
	x.Tool = Tools[1]
	assert.Contains(t, x.Server().Cmd, "ibv_rc_pingpong -d rocep3s0f0 -i 1 -g 3 -p 21000 -n 1000 -s 4096 -l 3 2>&1")
}

// The ends run in a POSIX shell. The client tries until the server listens, and a failure has a reason.
func TestEnds(t *testing.T) {
	dir := t.TempDir()
	run := func(tool, cmd string) string {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "ib_write_bw"), []byte("#!/bin/sh\n"+tool+"\n"), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "sleep"), []byte("#!/bin/sh\n"), 0o755))
		c := exec.Command(machinetest.Need(t, "dash"), "-c", cmd)
		c.Env, c.Dir = []string{"PATH=" + dir + ":/usr/bin:/bin"}, dir
		out, err := c.Output()
		require.NoError(t, err)
		return string(out)
	}
	x := exchange(2)
	again := `[ -e tried ] && exit 0; : >tried; echo "Couldn't connect" >&2; exit 1`
	assert.Empty(t, Failed([]byte(run(again, x.Client().Cmd))))
	assert.Equal(t, `no \x1b[2J port`, Failed([]byte(run(`printf 'first\nno \033[2J port\n'; exit 3`, x.Client().Cmd))))
	assert.Equal(t, "exit status 3", Failed([]byte(run("exit 3", x.Server().Cmd))))
	assert.Empty(t, Failed([]byte(run("yes | head -c 100000; exit 0", x.Server().Cmd))))
	assert.NotEmpty(t, Failed(nil), "half an answer is not success")
	assert.Equal(t, "ib_write_bw\n", run("", strings.ReplaceAll(ToolQuery().Cmd, "rping", "nothere")))
	run("", x.Kill().Cmd)
}

// Kill ends only the server of this exchange.
func TestKill(t *testing.T) {
	dash := machinetest.Need(t, "dash")
	start := func(port string) *exec.Cmd {
		c := exec.Command("/bin/sh", "-c", "read x", "sh", "-p", port, "-n")
		c.Args[0] = "ib_write_bw"
		_, err := c.StdinPipe() // the process waits until the test ends
		require.NoError(t, err)
		require.NoError(t, c.Start())
		return c
	}
	x := exchange(2)
	x.Port = 21987
	mine, other := start("21987"), start("21988")
	require.NoError(t, exec.Command(dash, "-c", x.Kill().Cmd).Run())
	require.ErrorContains(t, mine.Wait(), "terminated")
	require.NoError(t, other.Process.Kill())
	require.ErrorContains(t, other.Wait(), "killed")
}

func TestReadCounts(t *testing.T) {
	got := ReadCounts([]byte("ens1f0 rx_prio3_packets 17\nens1f0 tx_prio0_packets 5\nens1f0 rx_prio3_pause 9\nens1f0 rx_prio9_packets 1\n" +
		"swp1 rx_frames_prio_3 7\nswp1 rx_packets 8\nswp1 tx_packets x\nswp1 rx_prio3_bytes 7\nrx_packets 1\nswp1 rx 1\nswp2 tx_packets -1\n"))
	assert.Equal(t, Counts{"ens1f0": {"rx3": 17, "tx0": 5}, "swp1": {"rx3": 7, "rx": 8}}, got)
}

func TestJudge(t *testing.T) {
	x := exchange(2)
	leaf := x.Path[1].In[0].Device()
	judge := func(host1, switch1, host2 string) string {
		zero := func(text string) Counts {
			c := ReadCounts([]byte(text))
			for _, keys := range c {
				for k := range keys {
					keys[k] = 100
				}
			}
			return c
		}
		more := func(text string) Counts {
			c := ReadCounts([]byte(text))
			for _, keys := range c {
				for k := range keys {
					keys[k] += 100
				}
			}
			return c
		}
		before := map[*ir.Device]Counts{x.From.Device: zero(host1), leaf: zero(switch1), x.To.Device: zero(host2)}
		after := map[*ir.Device]Counts{x.From.Device: more(host1), leaf: more(switch1), x.To.Device: more(host2)}
		x.Idle = before // others send nothing
		var said []string
		for _, s := range x.Judge(before, after) {
			if s.Says != "" {
				said = append(said, s.Says)
			}
		}
		return strings.Join(said, "|")
	}
	const sent, got = "ens1f0 tx_prio3_packets 1000\nens1f0 tx_prio0_packets 4\n", "ens1f0 rx_prio3_packets 1000\nens1f0 rx_prio0_packets 4\n"
	const carried = "swp1 rx_packets 1000\nswp2 tx_packets 300\nswp3 tx_packets 700\n"
	assert.Empty(t, judge(sent, carried, got))
	assert.Empty(t, judge(sent, "", got), "a switch that reports nothing")
	assert.Empty(t, judge(sent, "swp1 rx_packets 1000\nswp2 tx_packets 0\n", got), "the earlier counter of swp3 is unknown")
	assert.Equal(t, "h1:ens1f0 (out) has the packets in priority 0; the fabric puts rdma in 3.",
		judge("ens1f0 tx_prio3_packets 4\nens1f0 tx_prio0_packets 1000\n", carried, got))
	assert.Equal(t, "leaf1:swp1 (in) has the packets in priority 1; the fabric puts rdma in 3.",
		judge(sent, "swp1 rx_frames_prio_1 1000\nswp1 rx_frames_prio_3 0\n", got))
	assert.Equal(t, "leaf1:swp2 and 1 more (out) counted 10 packets, of about 1000 that were sent.",
		judge(sent, "swp1 rx_packets 1000\nswp2 tx_packets 10\nswp3 tx_packets 0\n", got))
	assert.Equal(t, "h2:ens1f0 (in) counted 0 packets, of about 1000 that were sent.", judge(sent, carried, "ens1f0 rx_prio3_packets 0\n"))
	x.Path[1].Maybe = true
	assert.Empty(t, judge(sent, "swp1 rx_packets 0\nswp2 tx_packets 0\nswp3 tx_packets 0\n", got), "there is another way")
}

// Counters that were reset count from zero.
func TestJudgeAnew(t *testing.T) {
	x := exchange(2)
	h := x.From.Device
	before := map[*ir.Device]Counts{h: {"ens1f0": {"tx3": 5000}}}
	x.Idle = before
	seen := x.Judge(before, map[*ir.Device]Counts{h: {"ens1f0": {"tx3": 1000}}})
	assert.Equal(t, map[int]uint64{3: 1000}, seen[0].Packets)
	assert.Empty(t, seen[0].Says)
}

// TestJudgeOthers: other hosts send, too. A rise of the exchange's class beyond the idle interval, without such a rise of other
// priorities, proves the exchange. If its packets are missing in spite of other traffic, the result is an error. Otherwise other traffic
// hides the exchange.
func TestJudgeOthers(t *testing.T) {
	const right, wrong, hidden = "", "the fabric puts rdma in 3", "others' traffic hides it"
	for name, c := range map[string]struct {
		idle, sent map[int]uint64 // the rise in the idle interval and in the exchange
		seconds    [2]uint64      // the lengths of both; 0: the device does not report them
		says       string
	}{
		"nobody else":                    {nil, map[int]uint64{3: 1000}, [2]uint64{}, right},
		"in another priority":            {nil, map[int]uint64{0: 1000}, [2]uint64{}, wrong},
		"others in the class alone":      {nil, map[int]uint64{0: 1000, 3: 1000}, [2]uint64{}, hidden},
		"others in the class, steady":    {map[int]uint64{3: 5000}, map[int]uint64{0: 1000, 3: 5000}, [2]uint64{}, hidden},
		"proved beside others":           {map[int]uint64{0: 400, 3: 5000}, map[int]uint64{0: 420, 3: 6000}, [2]uint64{}, right},
		"a class that slowed down":       {map[int]uint64{3: 5000}, map[int]uint64{3: 5100}, [2]uint64{}, hidden},
		"others began elsewhere":         {map[int]uint64{3: 10}, map[int]uint64{1: 101, 3: 1010}, [2]uint64{}, hidden},
		"a few strays":                   {map[int]uint64{3: 10}, map[int]uint64{1: 100, 3: 1010}, [2]uint64{}, right},
		"in another, others elsewhere":   {map[int]uint64{1: 9000}, map[int]uint64{0: 1000, 1: 9000}, [2]uint64{}, wrong},
		"in another, which others use":   {map[int]uint64{0: 9000}, map[int]uint64{0: 9500}, [2]uint64{}, "counted 0 packets in priority 3"},
		"nowhere":                        {map[int]uint64{3: 10}, map[int]uint64{3: 100}, [2]uint64{}, "counted 100 packets, of about 1000"},
		"another fell by as much":        {map[int]uint64{1: 2000}, map[int]uint64{0: 1000, 1: 1000, 3: 1000}, [2]uint64{}, hidden},
		"behind a longer idle interval":  {map[int]uint64{0: 9000}, map[int]uint64{0: 4000, 3: 1000}, [2]uint64{3, 1}, hidden},
		"twice as long":                  {map[int]uint64{3: 5000}, map[int]uint64{3: 11000}, [2]uint64{3, 6}, right},
		"twice as long, without it":      {map[int]uint64{3: 5000}, map[int]uint64{0: 1000, 3: 10000}, [2]uint64{3, 6}, hidden},
		"half as long":                   {map[int]uint64{3: 5000}, map[int]uint64{3: 3500}, [2]uint64{4, 2}, right},
		"logins count as often, shorter": {map[int]uint64{0: 300}, map[int]uint64{0: 390, 3: 1000}, [2]uint64{4, 1}, right},
	} {
		x := exchange(2)
		x.Idle = map[*ir.Device]Counts{}
		before, after := map[*ir.Device]Counts{}, map[*ir.Device]Counts{}
		for _, h := range x.Path {
			for _, p := range slices.Concat(h.In, h.Out) {
				d, at := p.Device(), []map[string]uint64{{}, {}, {}}
				for prio := range 8 {
					for _, dir := range []string{"rx", "tx"} {
						key := fmt.Sprint(dir, prio)
						at[0][key] = 70
						at[1][key] = at[0][key] + c.idle[prio]
						at[2][key] = at[1][key] + c.sent[prio]
					}
				}
				for i, of := range []map[*ir.Device]Counts{x.Idle, before, after} {
					if of[d] == nil {
						of[d] = Counts{}
					}
					of[d][p.Name] = at[i]
					if c.seconds[0] > 0 {
						of[d][clock] = map[string]uint64{clock: []uint64{100, 100 + 100*c.seconds[0], 100 + 100*(c.seconds[0]+c.seconds[1])}[i]}
					}
				}
			}
		}
		for _, s := range x.Judge(before, after) {
			if len(s.Ports) > 1 { // the sum of two ports, each of which has all counts
				continue
			}
			assert.True(t, s.Told, name)
			assert.Equal(t, c.says == hidden, s.Hidden, name)
			assert.Equal(t, c.says == right, s.Proved, name)
			if c.says == right {
				assert.Empty(t, s.Says, name)
			} else {
				assert.Contains(t, s.Says, c.says, name)
			}
		}
		delete(x.Idle, x.From.Device)
		seen := x.Judge(before, after)
		assert.False(t, seen[0].Told, "%s: a device that did not answer in the idle interval", name)
		assert.Empty(t, seen[0].Says, name)
	}
}

// TestGood: an exchange is good if both hosts prove it. NICs count exactly, so one missing packet means that the exchange is not proved.
// A reading without an idle interval proves nothing, either.
func TestGood(t *testing.T) {
	const sent, got = "ens1f0 tx_prio3_packets 1000\n", "ens1f0 rx_prio3_packets 1000\n"
	for name, c := range map[string]struct {
		from, leaf, to string
		noIdle, maybe  bool
		good           bool
		says, why      string
	}{
		"both":                {from: sent, to: got, good: true},
		"beside a bypass":     {from: sent, to: got, maybe: true, good: true},
		"wrong with a bypass": {from: "ens1f0 tx_prio0_packets 1000\n", to: got, maybe: true, says: "has the packets in priority 0"},
		"without idle":        {from: sent, to: got, noIdle: true, says: "was not measured before the exchange"},
		"one packet less":     {from: sent, to: "ens1f0 rx_prio3_packets 999\n", says: "counted 999 packets"},
		"one packet astray": {
			from: sent, to: "ens1f0 rx_prio3_packets 999\nens1f0 rx_prio0_packets 1\n", says: "counted 999 packets in priority 3",
		},
		"a switch alone":   {leaf: "swp1 rx_frames_prio_3 1000\n", why: "packets by priority are not shown by h1 and h2"},
		"totals alone":     {from: "ens1f0 tx_packets 1000\n", to: got, why: "packets by priority are not shown by h1"},
		"nothing":          {why: "packets by priority are not shown by h1 and h2"},
		"the wrong switch": {from: sent, leaf: "swp1 rx_frames_prio_0 1000\n", to: got, says: "leaf1:swp1 (in)"},
	} {
		x := exchange(2)
		after := map[*ir.Device]Counts{
			x.From.Device: ReadCounts([]byte(c.from)), x.Path[1].In[0].Device(): ReadCounts([]byte(c.leaf)), x.To.Device: ReadCounts([]byte(c.to)),
		}
		before := map[*ir.Device]Counts{}
		for d, ports := range after {
			before[d] = Counts{}
			for p, keys := range ports {
				before[d][p] = map[string]uint64{}
				for k := range keys {
					before[d][p][k] = 0
				}
			}
		}
		if !c.noIdle {
			x.Idle = before
		}
		for i := range x.Path {
			x.Path[i].Maybe = c.maybe
		}
		seen := x.Judge(before, after)
		var says []string
		for _, s := range seen {
			says = append(says, s.Says)
		}
		good, why := x.Good(seen)
		assert.Equal(t, c.good, good, name)
		assert.Equal(t, c.why, why, name)
		assert.Contains(t, strings.Join(says, ""), c.says, name)
	}
}

// TestIdleCounters: a port that lacked some counters in the idle interval proves nothing.
func TestIdleCounters(t *testing.T) {
	x := exchange(2)
	h := x.From.Device
	x.Idle = map[*ir.Device]Counts{h: {"ens1f0": {"tx0": 0}}}
	seen := x.Judge(map[*ir.Device]Counts{h: {"ens1f0": {"tx0": 0, "tx3": 0}}}, map[*ir.Device]Counts{h: {"ens1f0": {"tx0": 0, "tx3": 1000}}})
	assert.False(t, seen[0].Told)
	assert.False(t, seen[0].Proved)
}

// A port that only counts all priorities together proves nothing if others send as many packets.
func TestJudgeOthersInAll(t *testing.T) {
	x := exchange(2)
	leaf := x.Path[1].In[0].Device()
	counts := func(swp1 uint64) map[*ir.Device]Counts { return map[*ir.Device]Counts{leaf: {"swp1": {"rx": swp1}}} }
	for _, c := range []struct {
		idle, sent uint64
		hidden     bool
		says       string
	}{
		{0, 1000, false, ""}, {5000, 5000, true, ""}, {5000, 5950, false, ""}, {10, 20, false, "counted 20 packets"},
	} {
		x.Idle = counts(0)
		s := x.Judge(counts(c.idle), counts(c.idle+c.sent))[1]
		assert.True(t, s.Told)
		assert.Equal(t, c.hidden, s.Hidden, "%+v", c)
		assert.Contains(t, s.Says, c.says)
		assert.Equal(t, c.says == "", s.Says == "")
	}
}

// The answer with the counters contains the clock of the device.
func TestCountQuery(t *testing.T) {
	x := exchange(2)
	out, err := exec.Command(machinetest.Need(t, "dash"), "-c", CountQuery([]*ir.Port{x.From.Port}).Cmd).Output()
	require.NoError(t, err)
	assert.Positive(t, ReadCounts(out)[clock][clock])
	assert.Equal(t, Counts{clock: {clock: 123456}}, ReadCounts([]byte("- uptime 1234.56\n")))
	assert.Empty(t, ReadCounts([]byte("- uptime x\n- uptime -1\n- uptime 1e300\n")))
}

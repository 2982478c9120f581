package storm_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/validate/storm"
)

// second is a time in the unit of counters.
const second = 1_000_000

// bench is a fabric of two leaves, a spine and three hosts: hA and hB at L0, hC at L1. Its readings are one second apart, and every counter
// is known and 0 until a test sets it.
type bench struct {
	f        *ir.Fabric
	readings []storm.Reading
}

func newBench() *bench {
	f := finished(irtest.New(ir.ShortestPath).Links("L0-S0 L1-S0 hA-L0 hB-L0 hC-L1"))
	b := &bench{f: f}
	for i := range 3 {
		r := storm.Reading{}
		for _, d := range f.Devices {
			one := &storm.Counters{Uptime: time.Hour + time.Duration(i)*time.Second}
			for _, p := range d.Ports {
				zero := ir.Counter{Known: true}
				one.Ports = append(one.Ports, ir.PauseCounters{
					Port: p.Name, Priority: 3, Received: zero, Sent: zero, ReceivedTime: zero, SentTime: zero, Packets: zero, Waiting: zero,
				})
			}
			r[d] = one
		}
		b.readings = append(b.readings, r)
	}
	return b
}

// port returns the port of a device towards another.
func (b *bench) port(from, to string) *ir.Port {
	for _, p := range b.f.Ports {
		if p.Device().Name == from && p.Peer().Device().Name == to {
			return p
		}
	}
	panic("no such cable")
}

// at returns the counters of a port in a reading.
func (b *bench) at(reading int, p *ir.Port) *ir.PauseCounters {
	of := b.readings[reading][p.Device()]
	for i := range of.Ports {
		if of.Ports[i].Port == p.Name {
			return &of.Ports[i]
		}
	}
	panic("no such port")
}

// each changes the counters of a port in every reading.
func (b *bench) each(p *ir.Port, set func(i uint64, c *ir.PauseCounters)) {
	for i := range b.readings {
		set(uint64(i), b.at(i, p))
	}
}

// pause lets the device by pause its neighbour of, for a share of the time.
func (b *bench) pause(by, of string, share float64) {
	us := uint64(share * second)
	b.each(b.port(of, by), func(i uint64, c *ir.PauseCounters) { c.Received.Value, c.ReceivedTime.Value = 5000*i, us*i })
	b.each(b.port(by, of), func(i uint64, c *ir.PauseCounters) { c.Sent.Value, c.SentTime.Value = 5000*i, us*i })
}

// queue sets the packets that a queue sends each second, and the bytes that it holds.
func (b *bench) queue(of, to string, packets, bytes uint64) {
	b.each(b.port(of, to), func(i uint64, c *ir.PauseCounters) { c.Packets.Value, c.Waiting.Value = packets*i, bytes })
}

// mute removes a device from the readings.
func (b *bench) mute(name string) {
	for _, r := range b.readings {
		for d, of := range r {
			if d.Name == name {
				of.Failed = "it does not answer"
			}
		}
	}
}

// untimed removes the counters of time of a device.
func (b *bench) untimed(name string) {
	for _, p := range b.f.Ports {
		if p.Device().Name == name {
			b.each(p, func(_ uint64, c *ir.PauseCounters) { c.ReceivedTime, c.SentTime = ir.Counter{}, ir.Counter{} })
		}
	}
}

// stormOfC lets hC pause L1, and everything behind it.
func (b *bench) stormOfC() {
	b.pause("hC", "L1", 1)
	b.pause("L1", "S0", 1)
	b.pause("S0", "L0", 1)
	b.pause("L0", "hA", 1)
	b.queue("L1", "hC", 0, 9000)
}

// Each case has one cause, and the verdict on it.
func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		name   string
		set    func(b *bench)
		want   storm.Conclusion
		origin [2]string // the device, and the other end of its port
		reason storm.Doubt
	}{
		{"no pauses", func(*bench) {}, storm.Quiet, [2]string{}, ""},
		{"a host pauses", (*bench).stormOfC, storm.Storm, [2]string{"hC", "L1"}, ""},
		{"the host is silent", func(b *bench) { b.stormOfC(); b.mute("hC") }, storm.Storm, [2]string{"hC", "L1"}, ""},
		{"its switch is silent", func(b *bench) { b.stormOfC(); b.mute("L1") }, storm.Storm, [2]string{"hC", "L1"}, ""},
		{"both are silent", func(b *bench) { b.stormOfC(); b.mute("L1"); b.mute("hC") }, storm.Unknown, [2]string{}, storm.NoAnswer},
		{"neither end counts pauses", func(b *bench) {
			b.stormOfC()
			for _, p := range []*ir.Port{b.port("L1", "hC"), b.port("hC", "L1")} {
				b.each(p, func(_ uint64, c *ir.PauseCounters) { *c = ir.PauseCounters{Port: c.Port, Priority: 3} })
			}
		}, storm.Unknown, [2]string{}, storm.NoPauses},
		{"switches count frames alone", func(b *bench) {
			b.stormOfC()
			b.untimed("L0")
			b.untimed("L1")
			b.untimed("S0")
		}, storm.Storm, [2]string{"hC", "L1"}, ""},
		{"no device counts time, and the queue is stopped", func(b *bench) {
			b.stormOfC()
			for _, d := range b.f.Devices {
				b.untimed(d.Name)
			}
		}, storm.Storm, [2]string{"hC", "L1"}, ""},
		{"no device counts time, and queues are not read", func(b *bench) {
			b.stormOfC()
			for _, d := range b.f.Devices {
				b.untimed(d.Name)
			}
			b.each(b.port("L1", "hC"), func(_ uint64, c *ir.PauseCounters) { c.Packets, c.Waiting = ir.Counter{}, ir.Counter{} })
		}, storm.Unknown, [2]string{}, storm.NoTime},
		{"a counter of time that stays 0 is none", func(b *bench) {
			b.stormOfC()
			b.each(b.port("L1", "hC"), func(_ uint64, c *ir.PauseCounters) { c.ReceivedTime.Value, c.Packets = 0, ir.Counter{} })
			b.mute("hC")
		}, storm.Unknown, [2]string{}, storm.NoTime},
		{"few frames cannot pause for long", func(b *bench) {
			b.each(b.port("L1", "hC"), func(i uint64, c *ir.PauseCounters) { c.Received.Value, c.ReceivedTime = 100*i, ir.Counter{} })
			b.mute("hC")
		}, storm.Short, [2]string{}, ""},
		{"the host pauses for half of the time", func(b *bench) {
			b.pause("hC", "L1", 0.5)
			b.queue("L1", "hC", 1000, 9000)
			b.pause("L1", "S0", 0.95)
		}, storm.Short, [2]string{}, ""},
		{"an incast at a switch", func(b *bench) {
			b.queue("L1", "hC", 100_000, 9000)
			b.pause("L1", "S0", 0.98)
			b.pause("S0", "L0", 0.98)
		}, storm.Short, [2]string{}, ""},
		{"a queue of a switch holds packets", func(b *bench) {
			b.queue("L1", "hC", 0, 9000)
			b.pause("L1", "S0", 1)
		}, storm.Storm, [2]string{"L1", "hC"}, ""},
		{"whether the queue sends was not read", func(b *bench) {
			b.queue("L1", "hC", 0, 9000)
			b.each(b.port("L1", "hC"), func(_ uint64, c *ir.PauseCounters) { c.Packets = ir.Counter{} })
			b.pause("L1", "S0", 1)
		}, storm.Unknown, [2]string{}, storm.NoProgress},
		{"a switch pauses, and no queue of it holds packets", func(b *bench) { b.pause("L1", "S0", 1) }, storm.Storm, [2]string{"L1", "S0"}, ""},
		{"one window", func(b *bench) { b.stormOfC(); b.readings = b.readings[:2] }, storm.Unknown, [2]string{}, storm.OneWindow},
		{"the windows differ", func(b *bench) {
			b.stormOfC()
			for _, p := range b.f.Ports {
				*b.at(2, p) = *b.at(1, p)
			}
			b.queue("L1", "hC", 1000, 0)
		}, storm.Unknown, [2]string{}, storm.Differs},
		{"counters were cleared", func(b *bench) {
			b.stormOfC()
			for _, p := range []*ir.Port{b.port("L1", "hC"), b.port("hC", "L1")} {
				c := b.at(2, p)
				c.Received.Value, c.Sent.Value, c.ReceivedTime.Value, c.SentTime.Value = 7, 7, 7, 7
			}
		}, storm.Unknown, [2]string{}, storm.NoPauses},
		{"the switch has restarted", func(b *bench) {
			b.stormOfC()
			b.readings[2][b.port("L1", "hC").Device()].Uptime = time.Minute
			b.mute("hC")
		}, storm.Unknown, [2]string{}, storm.NoPauses},
		{"a routing loop between two switches", func(b *bench) {
			b.pause("L1", "S0", 1)
			b.pause("S0", "L1", 1)
			b.queue("L1", "S0", 0, 9000)
			b.queue("S0", "L1", 0, 9000)
		}, storm.Lock, [2]string{}, ""},
		{"link pause has no counters by priority", func(b *bench) {
			b.stormOfC()
			b.f.FlowControl = ir.Pause
		}, storm.Unread, [2]string{}, ""},
		{"counters are not renewed in a window", func(b *bench) {
			b.stormOfC()
			for _, r := range b.readings {
				for _, d := range r {
					d.Every = time.Second
				}
			}
		}, storm.Unread, [2]string{}, ""},
		{"no device answers", func(b *bench) {
			for _, d := range b.f.Devices {
				b.mute(d.Name)
			}
		}, storm.Unread, [2]string{}, ""},
		{"no reading", func(b *bench) { b.readings = nil }, storm.Unread, [2]string{}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench()
			c.set(b)
			found := storm.Judge(b.f, b.readings)
			require.Equal(t, c.want, found.Verdict, "%+v", found)
			if c.origin[0] != "" {
				require.Len(t, found.Origins, 1)
				require.Equal(t, b.port(c.origin[0], c.origin[1]).String(), found.Origins[0].Port.String())
			} else {
				require.Empty(t, found.Origins)
			}
			if c.reason != "" {
				require.Equal(t, c.reason, found.Hidden[0].Why)
				require.NotEmpty(t, found.Hidden[0].Device)
			}
		})
	}
}

// An origin has the ports that wait, the nearest first, the hosts among them, the watchdogs, and the counters with all samples.
func TestOrigin(t *testing.T) {
	b := newBench()
	b.stormOfC()
	b.each(b.port("S0", "L1"), func(i uint64, c *ir.PauseCounters) { c.Cut = ir.Counter{Value: i, Known: true} })
	found := storm.Judge(b.f, b.readings)
	o := found.Origins[0]
	require.Equal(t, storm.HostPauses, o.Kind)
	require.InDelta(t, 1, o.Least, 0.001)
	var waits []string
	for _, w := range o.Waits {
		waits = append(waits, w.Port.String())
	}
	require.Equal(t, []string{"L1:p1", "S0:p1", "L0:p0", "hA:p0"}, waits)
	require.Equal(t, "hA", o.Hosts[0].Name)
	require.Equal(t, []storm.Watchdog{{Port: b.port("S0", "L1"), By: storm.ByCounter}}, o.Watchdogs)
	require.Equal(t, []uint64{0, second, 2 * second}, o.Counters[0].Values)
	require.Len(t, found.Cut, 1)
	require.Equal(t, b.port("S0", "L1"), found.Cut[0].Port)
	require.Equal(t, 2, found.Windows)
	require.Equal(t, time.Second, found.Length)
	require.Equal(t, found.Ports, found.Judged)
}

// A watchdog is known by its counter, else by the configuration of its device, else by the settings that rocec writes. A configuration
// that was read has precedence over the fabric, and a watchdog that only reports cuts nothing.
func TestWatchdogs(t *testing.T) {
	on := ir.WatchdogSettings{Action: ir.Of(ir.WatchdogDrop), Watches: ir.Of(uint8(1 << 3))}
	off, alert, other := ir.WatchdogSettings{Action: ir.Of(ir.WatchdogOff)}, on, on
	alert.Action, other.Watches = ir.Of(ir.WatchdogAlert), ir.Of(uint8(1<<4))
	for _, c := range []struct {
		name       string
		fabric     ir.WatchdogSettings
		configured *ir.WatchdogSettings
		counts     bool
		want       storm.WatchdogSource
	}{
		{name: "nothing"},
		{name: "fabric", fabric: ir.WatchdogSettings{Action: ir.ByDefault(ir.WatchdogDrop)}, want: storm.ByFabric},
		{name: "fabric turns it off", fabric: off},
		{name: "configuration", configured: &on, want: storm.ByConfiguration},
		{name: "configuration is off", fabric: on, configured: &off},
		{name: "configuration only reports", fabric: on, configured: &alert},
		{name: "configuration watches another priority", fabric: on, configured: &other},
		{name: "configuration does not state it", fabric: on, configured: &ir.WatchdogSettings{}, want: storm.ByFabric},
		{name: "counter", configured: &on, counts: true, want: storm.ByCounter},
	} {
		b := newBench()
		b.stormOfC()
		at := b.port("S0", "L1")
		spine := at.Device()
		spine.Switch.Added = &ir.Added{Watchdog: c.fabric}
		if c.configured != nil {
			b.readings[2][spine].Watchdogs = map[string]ir.WatchdogSettings{at.Name: *c.configured}
		}
		if c.counts {
			b.each(at, func(_ uint64, c *ir.PauseCounters) { c.Cut = ir.Counter{Known: true} })
		}
		var want []storm.Watchdog
		if c.want != "" {
			want = []storm.Watchdog{{Port: at, By: c.want}}
		}
		require.Equal(t, want, storm.Judge(b.f, b.readings).Origins[0].Watchdogs, c.name)
	}
}

// A port whose counters are not read is listed, also if no other port is paused.
func TestMissingIsListed(t *testing.T) {
	b := newBench()
	b.mute("hC")
	b.each(b.port("L1", "hC"), func(_ uint64, c *ir.PauseCounters) { *c = ir.PauseCounters{Port: c.Port, Priority: 3} })
	found := storm.Judge(b.f, b.readings)
	require.Equal(t, storm.Quiet, found.Verdict)
	require.Len(t, found.Missing, 2) // both directions of the cable
	require.Contains(t, []string{"L1:p1", "hC:p0"}, found.Missing[0].String())
	require.Equal(t, found.Ports-2, found.Judged)
	require.Len(t, found.Silent, 1)
	require.Equal(t, "it does not answer", found.Why[found.Silent[0]])
}

// A device that has just started and answers slowly has not started between two readings.
func TestSlowAnswer(t *testing.T) {
	at := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
	b := newBench()
	b.stormOfC()
	for i, r := range b.readings {
		for _, of := range r {
			of.Asked = at.Add(time.Duration(i) * time.Second)
			of.When = of.Asked.Add(time.Duration(i) * 1500 * time.Millisecond)
			of.Uptime = time.Duration(i)*time.Second + 50*time.Millisecond
		}
	}
	found := storm.Judge(b.f, b.readings)
	require.Equal(t, storm.Storm, found.Verdict)
	require.Empty(t, found.Untimed)
}

// Readings of a device are compared only if they show a time between them. Otherwise the reason is stated, and no storm is named.
func TestNoWindow(t *testing.T) {
	at := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name string
		set  func(i int, of *storm.Counters)
		want string
	}{
		{"a restart whose uptime is longer than the one before", func(i int, of *storm.Counters) {
			of.When, of.Uptime = at.Add(time.Duration(i)*time.Hour), time.Duration(i+1)*time.Minute
		}, "it has started between two readings"},
		{"a restart", func(i int, of *storm.Counters) {
			of.Uptime = time.Hour - time.Duration(i)*time.Minute
		}, "a reading is older than the one before, or the device has started between them"},
		{"a restart after which the answer was slow", func(i int, of *storm.Counters) {
			of.When, of.Uptime = at.Add(time.Duration(i)*time.Hour), time.Duration(i+1)*time.Minute
			of.Asked = of.When.Add(-10 * time.Second)
		}, "it has started between two readings"},
		{"times run backwards", func(i int, of *storm.Counters) {
			of.When, of.Uptime = at.Add(-time.Duration(i)*time.Minute), 0
		}, "a reading is older than the one before"},
		{"equal times", func(_ int, of *storm.Counters) { of.When, of.Uptime = at, 0 }, "two readings have the same time"},
		{"no times", func(_ int, of *storm.Counters) { of.Uptime = 0 }, "its readings have no time"},
		{
			"too early", func(_ int, of *storm.Counters) { of.Every = 10 * time.Second },
			"two readings are 1s apart; its counters are renewed every 10s, so a window has at least 15s",
		},
		{
			"two devices", func(i int, of *storm.Counters) { of.From = string(rune('a' + i)) },
			"two addresses gave its readings, so they may be of two devices",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench()
			b.stormOfC()
			for i, r := range b.readings {
				for _, of := range r {
					c.set(i, of)
				}
			}
			found := storm.Judge(b.f, b.readings)
			require.Equal(t, storm.Unread, found.Verdict)
			for _, d := range b.f.Devices {
				require.Equal(t, c.want, found.Untimed[d])
			}
			require.Empty(t, found.Silent)
		})
	}
}

// A counter that rises faster than any cable carries frames counts something else.
func TestImpossibleRate(t *testing.T) {
	b := newBench()
	for _, p := range b.f.Ports {
		b.each(p, func(i uint64, c *ir.PauseCounters) { c.Received.Value, c.Sent.Value = i<<62, i<<62 })
	}
	found := storm.Judge(b.f, b.readings)
	require.Equal(t, storm.Unread, found.Verdict)
	require.Empty(t, found.Waits)
}

// Any counters give a result, and the same counters the same result.
func TestAnyCounters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := newBench()
		number := rapid.OneOf(rapid.Uint64Range(0, 3*second), rapid.Uint64())
		for i := range b.readings {
			for _, p := range b.f.Ports {
				c := b.at(i, p)
				c.Priority = rapid.SampledFrom([]int{3, 3, 3, -1, 9}).Draw(t, "priority")
				for _, of := range []*ir.Counter{&c.Received, &c.Sent, &c.ReceivedTime, &c.SentTime, &c.Packets, &c.Waiting, &c.Cut} {
					*of = ir.Counter{Value: number.Draw(t, "value"), Known: rapid.Bool().Draw(t, "known")}
				}
			}
			for _, of := range b.readings[i] {
				of.Uptime = time.Duration(rapid.Int64().Draw(t, "uptime"))
			}
		}
		found := storm.Judge(b.f, b.readings)
		require.Equal(t, found, storm.Judge(b.f, b.readings))
		if found.Verdict == storm.Quiet {
			require.Empty(t, found.Waits)
		}
	})
}

// A queue that a watchdog cuts in the last reading is listed, and one that it has cut before is not. Both have a watchdog.
func TestCutting(t *testing.T) {
	b := newBench()
	b.stormOfC()
	b.each(b.port("S0", "L1"), func(i uint64, c *ir.PauseCounters) { c.Cutting = ir.Counter{Value: i / 2, Known: true} })
	b.each(b.port("L1", "hC"), func(i uint64, c *ir.PauseCounters) { c.Cutting = ir.Counter{Value: 1 - i/2, Known: true} })
	found := storm.Judge(b.f, b.readings)
	require.Len(t, found.Cutting, 1)
	require.Equal(t, b.port("S0", "L1"), found.Cutting[0].Port)
	require.Empty(t, found.Cut, "no counter of cuts rose")
	require.Equal(t, []storm.Watchdog{{Port: b.port("L1", "hC"), By: storm.ByCounter}, {Port: b.port("S0", "L1"), By: storm.ByCounter}},
		found.Origins[0].Watchdogs)
}

// A queue whose device has not renewed its counter in a window is not known to stand still. One whose counter rose has sent.
func TestQueuesRenewedSlowly(t *testing.T) {
	for _, c := range []struct {
		name    string
		renewed time.Duration
		packets uint64
		origins int
		want    storm.Conclusion
	}{
		{"renewed", 500 * time.Millisecond, 0, 1, storm.Storm},
		{"not renewed", 25 * time.Second, 0, 0, storm.Unknown},
		{"it sends", 25 * time.Second, 1000, 0, storm.Short},
	} {
		b := newBench()
		b.pause("L1", "S0", 1)
		b.pause("S0", "L0", 1)
		b.queue("L1", "hC", c.packets, 90_000)
		for _, r := range b.readings {
			r[b.port("L1", "hC").Device()].Queues = c.renewed
		}
		found := storm.Judge(b.f, b.readings)
		require.Len(t, found.Origins, c.origins, c.name)
		require.Equal(t, c.want, found.Verdict, c.name)
	}
}

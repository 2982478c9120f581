package alerts

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/rocec/rocec/cmd/internal/metrics"
)

// The examples of each alert have values just above and just below the limit of its rule, and one in which a fact of the fabric is
// another one. So a rule with another limit, without a condition or without a fact of the fabric fails one of them.

// late and early are times of evaluations: the windows of all rules end before early, and late is after the longest For.
const (
	late  = "50m"
	early = "20m"
)

// overTime returns examples for which a rule about a rate does not fire, because the rate is over its limit for less than five minutes, for
// eight minutes of a window, or before the window. n a minute is just over the limit, and so is most in a window three times as long.
func overTime(n, most int, of func(values string) []series) []example {
	return []example{
		{series: of(fmt.Sprintf("0+0x29 0+%dx40", n)), at: "47m"},
		{series: of(fmt.Sprintf("0+0x29 0+%dx8 %d+0x60", n, 8*n)), at: "37m"},
		{series: of(fmt.Sprintf("0+%dx30 %d+0x60", most, 30*most)), at: "47m"},
	}
}

// steady is a series that keeps its value.
func steady(value any) string { return fmt.Sprintf("%v+0x60", value) }

// rising is a series that rises by n each minute.
func rising(n any) string { return fmt.Sprintf("0+%vx60", n) }

const otherFabric = "another fabric"

func lookOld(fs *facts) []example {
	age := func(seconds int) []series { return []series{fs.whole(metrics.LastLook, steady(50*60-seconds))} }
	return []example{
		{series: age(windowSeconds + 1), at: late, fires: fs.ofFabric(), value: strconv.Itoa(windowSeconds + 1)},
		{series: age(windowSeconds), at: late},
		{series: []series{{metrics.LastLook, []string{metrics.LabelFabric, otherFabric}, steady(0)}}, at: late},
	}
}

func lookMissing(fs *facts) []example {
	other := series{metrics.LastLook, []string{metrics.LabelFabric, otherFabric}, steady(0)}
	return []example{
		{series: []series{other}, at: late, fires: fs.ofFabric()},
		{series: []series{other}, at: "14m"},
		{series: []series{fs.whole(metrics.LastLook, steady(0))}, at: late},
	}
}

// device returns examples of a rule about a state of a device.
func (fs *facts) device(metric, is, isNot string, labels ...string) []example {
	of := func(value string, labels []string) []series {
		return []series{fs.whole(metric, value, labels...)}
	}
	labels = append([]string{metrics.LabelDevice, fs.host.device}, labels...)
	return []example{
		{series: of(steady(is), labels), at: late, fires: fs.ofFabric(labels...)},
		{series: of(steady(is), labels), at: "14m"},
		{series: of(steady(isNot), labels), at: late},
		{series: []series{{metric, append([]string{metrics.LabelFabric, otherFabric}, labels...), steady(is)}}, at: late},
	}
}

func deviceUnread(fs *facts) []example { return fs.device(metrics.DeviceRead, "0", "1") }

func drift(fs *facts) []example {
	out := fs.device(metrics.DeviceState, "1", "0", "state", "drift")
	good := fs.whole(metrics.DeviceState, steady(1), metrics.LabelDevice, fs.host.device, "state", "good")
	return append(out, example{series: []series{good}, at: late}, fs.device(metrics.DeviceState, "1", "0", "state", "refused")[0])
}

func finding(fs *facts) []example {
	labels := []string{"code", "port-mtu", "severity", "error"}
	of := func(n int, severity string) []series {
		return []series{fs.whole(metrics.Findings, steady(n), "code", "port-mtu", "severity", severity)}
	}
	return []example{
		{series: of(1, "error"), at: late, fires: fs.ofFabric(labels[:2]...)}, // the severity of the alert replaces that label
		{series: of(1, "error"), at: "14m"},
		{series: of(0, "error"), at: late},
		{series: of(1, "warning"), at: late},
		{series: []series{{metrics.Findings, append([]string{metrics.LabelFabric, otherFabric}, labels...), steady(1)}}, at: late},
	}
}

// lossy returns a priority that is lossless at no port, at the place.
func (fs *facts) lossy(p place) place {
	for n := range 8 {
		if prio := strconv.Itoa(n); !slices.Contains(fs.lossless, prio) {
			p.priority = prio
			return p
		}
	}
	return p
}

// elsewhere are the series with another fabric.
func elsewhere(all []series) []series {
	out := slices.Clone(all)
	for i, s := range out {
		out[i].labels = slices.Clone(s.labels)
		out[i].labels[1] = otherFabric
	}
	return out
}

// losslessAt returns the series of a priority that the fabric makes lossless at a place.
func (fs *facts) losslessAt(p place, values string) series {
	s := fs.at(metrics.PortLossless, p, values)
	s.labels = append(s.labels, "group", fs.group[p.priority])
	return s
}

// risesAtLossless returns the examples of a counter that must not rise where a priority is lossless.
func risesAtLossless(fs *facts, metric string) []example {
	of := func(p place, values, lossless string) []series {
		return []series{fs.at(metric, p, values), fs.losslessAt(p, lossless)}
	}
	p := fs.host
	return []example{
		{series: of(p, rising(2), steady(1)), at: early, fires: fs.labels(p), value: "30"},
		{series: of(p, steady(7), steady(1)), at: early},
		{series: of(p, rising(2), steady(1))[:1], at: early}, // the fabric does not make the priority lossless there
		{series: of(p, "0+2x3 6+0x60", steady(1)), at: late}, // it rose more than a window ago
		{series: of(fs.lossy(p), rising(2), steady(1)), at: early},
		{series: elsewhere(of(p, rising(2), steady(1))), at: early},
	}
}

func pausedLong(fs *facts) []example {
	of := func(p place, values string) []series {
		return []series{fs.at(metrics.ReceivedPause, p, values), fs.losslessAt(p, steady(1))}
	}
	p, much := fs.inner, rising(33)
	return append([]example{
		{series: of(p, much), at: late, fires: fs.labels(p), value: "55%"},
		{series: of(p, rising(30)), at: late},
		{series: of(p, much)[:1], at: late},
		{series: of(fs.lossy(p), much), at: late},
		{series: elsewhere(of(p, much)), at: late},
	}, overTime(33, 60, func(values string) []series { return of(p, values) })...)
}

func pauseUnexpected(fs *facts) []example {
	of := func(p place, values, expected string) []series {
		return []series{fs.at(metrics.ReceivedFrames, p, values), fs.at(metrics.PortPauses, p, steady(expected))}
	}
	p, many := fs.host, rising(660)
	return append([]example{
		{series: of(p, many, "0"), at: late, fires: fs.labels(p), value: "11"},
		{series: of(p, rising(600), "0"), at: late},
		{series: of(fs.inner, many, "1"), at: late}, // the fabric expects pauses there
		{series: of(p, many, "0")[:1], at: late},    // it is not known whether the fabric expects pauses there
		{series: of(fs.lossy(p), many, "0"), at: late},
		{series: elsewhere(of(p, many, "0")), at: late},
	}, overTime(660, 6600, func(values string) []series { return of(p, values, "0") })...)
}

func pauseOfLossy(fs *facts) []example {
	of := func(p place, values string) []series { return []series{fs.at(metrics.ReceivedFrames, p, values)} }
	lossless := fs.losslessAt(fs.host, steady(1))
	p := fs.lossy(fs.host)
	return []example{
		{series: append(of(p, rising(1)), lossless), at: early, fires: fs.labels(p)},
		{series: append(of(p, "0+1x10 10+0x60"), lossless), at: early, fires: fs.labels(p)},
		{series: append(of(p, steady(9)), lossless), at: early},
		{series: append(of(fs.host, rising(1)), lossless), at: early},
		{series: append(of(p, "0+1x3 3+0x60"), lossless), at: early},
		{series: elsewhere(of(p, rising(1))), at: early},
	}
}

func headroomShort(fs *facts) []example {
	of := func(p place, peak, derived int) []series {
		return []series{fs.at(metrics.HeadroomPeak, p, steady(peak)), fs.at(metrics.PortHeadroom, p, steady(derived))}
	}
	p := fs.inner
	return []example{
		{series: of(p, 9001, 10000), at: early, fires: fs.labels(p), value: "9001"},
		{series: of(p, 9000, 10000), at: early},
		{series: of(p, 9001, 10000)[:1], at: early},
		{series: of(fs.lossy(p), 9001, 10000), at: early},
		{series: elsewhere(of(p, 9001, 10000)), at: early},
	}
}

// notices returns the counters of notifications of a fabric, and the number of NICs whose counters are not known.
func (fs *facts) notices(sent, handled string, unknown int) []series {
	at := []string{metrics.LabelDevice, fs.inner.device, metrics.LabelPort, fs.inner.port}
	return []series{
		fs.whole(metrics.NoticesSent, sent, at...), fs.whole(metrics.NoticesHandled, handled, at...),
		fs.whole(metrics.NoticesUnknown, steady(unknown)),
	}
}

func marksUnanswered(fs *facts) []example {
	p := fs.inner
	if len(fs.marked) > 0 {
		p.priority = fs.marked[0]
	}
	of := func(p place, marks, sent string, unknown int) []series {
		return append(fs.notices(sent, steady(0), unknown), fs.at(metrics.Marked, p, marks))
	}
	none, many := steady(0), rising(61)
	return append([]example{
		{series: of(p, many, none, 0), at: late, fires: fs.ofFabric()},
		{series: of(p, many, "0+9x10 90+0x60", 0), at: late, fires: fs.ofFabric()}, // notifications before the window
		{series: of(p, rising(60), none, 0), at: late},
		{series: of(p, many, rising(1), 0), at: late},
		{series: of(p, many, "0+0x37 0+9x5 45+0x60", 0), at: late}, // notifications in the window, and no longer
		{series: of(p, many, none, 1), at: late},
		{series: of(p, many, none, 0)[1:], at: late}, // it is not known how many notifications were sent
		{series: of(fs.lossy(p), many, none, 0), at: late},
		{series: elsewhere(of(p, many, none, 0)), at: late},
	}, overTime(61, 200, func(values string) []series { return of(p, values, none, 0) })...)
}

func noticesIgnored(fs *facts) []example {
	few := rising(49)
	return append([]example{
		{series: fs.notices(rising(100), few, 0), at: late, fires: fs.ofFabric(), value: "49%"},
		{series: fs.notices(rising(64), rising(16), 0), at: late, fires: fs.ofFabric(), value: "25%"},
		{series: fs.notices(rising(100), rising(50), 0), at: late},
		{series: fs.notices(rising(60), rising(20), 0), at: late},
		{series: fs.notices(rising(100), few, 1), at: late},
		{series: fs.notices(rising(100), "0+0x37 0+400x5 2000+0x60", 0), at: late}, // handled in the window, and no longer
		{series: elsewhere(fs.notices(rising(100), few, 0)), at: late},
	}, overTime(61, 200, func(values string) []series { return fs.notices(values, steady(0), 0) })...)
}

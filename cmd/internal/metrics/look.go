package metrics

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/rocec/rocec/compiler/ir"
)

// Look has the values that one verify has read, and the facts of the fabric about its ports.
type Look struct {
	Fabric   *ir.Fabric
	Version  string    // of rocec
	When     time.Time // the start of the look; zero: not known
	Devices  []Seen    // in the order of the output
	Findings []Found   // in the order of the output, each code and severity once
	Pauses   *Pauses
}

// Seen is one device of a look.
type Seen struct {
	Device   *ir.Device
	Read     bool                 // otherwise all that follows is not known
	State    string               // the status in verify
	Counters []ir.PauseCounters   // as the device reports them: any ports and priorities
	Notices  map[string]NICNotice // by NIC

	ordered []*ir.PauseCounters // of Counters, those that are written; set by order
}

// NICNotice has the counters of congestion notifications of a NIC.
type NICNotice struct{ Sent, Handled ir.Counter }

// Found is the number of findings with a code and a severity.
type Found struct {
	Code, Severity string
	N              int
}

// priorities is the number of priorities of Ethernet (IEEE 802.1Q).
const priorities = 8

// counters calls use for the counters of each priority at each port of the fabric, in the order of the ports.
func (l *Look) counters(use func(device string, c *ir.PauseCounters)) {
	for i := range l.Devices {
		d := &l.Devices[i]
		for _, c := range d.ordered {
			use(d.Device.Name, c)
		}
	}
}

// order selects the counters that are written. It leaves out ports that the fabric does not have, other priorities, and any repetition, so
// that an answer of a device adds no more samples than the fabric has ports.
func (d *Seen) order() {
	d.ordered = nil
	if !d.Read {
		return
	}
	by := map[string]*[priorities]*ir.PauseCounters{}
	for _, p := range d.Device.Ports {
		by[p.Name] = &[priorities]*ir.PauseCounters{}
	}
	for k := range d.Counters {
		c := &d.Counters[k]
		if of := by[c.Port]; of != nil && c.Priority >= 0 && c.Priority < priorities && of[c.Priority] == nil {
			of[c.Priority] = c
		}
	}
	for _, p := range d.Device.Ports {
		for _, c := range by[p.Name] {
			if c != nil {
				d.ordered = append(d.ordered, c)
			}
		}
	}
}

// lossless calls use for each lossless priority at each port of the devices that were read. Under link pause no priority is lossless by
// itself.
func (l *Look) lossless(use func(p *ir.Port, b *ir.Buffer)) {
	for i := range l.Devices {
		if !l.Devices[i].Read {
			continue
		}
		for _, p := range l.Devices[i].Device.Ports {
			for _, b := range Lossless(p) {
				use(p, b)
			}
		}
	}
}

// Lossless returns the buffers of a port whose groups PFC makes lossless, by cos.
func Lossless(p *ir.Port) []*ir.Buffer {
	if p.ByPause() {
		return nil
	}
	return p.Buffers()
}

func portLossless(l *Look, put func(string, ...string)) {
	l.lossless(func(p *ir.Port, b *ir.Buffer) { put("1", p.Device().Name, p.Name, priority(b.Group.Cos), b.Group.Name) })
}

func portHeadroom(l *Look, put func(string, ...string)) {
	l.lossless(func(p *ir.Port, b *ir.Buffer) {
		if n := Headroom(p, b); n > 0 {
			put(strconv.Itoa(n), p.Device().Name, p.Name, priority(b.Group.Cos))
		}
	})
}

// Headroom returns the headroom of a lossless buffer at a switch port as the switch implements it: a switch with one buffer for all
// lossless groups counts the sum for each of them. 0: it is not known, because a NIC sizes its own buffers, or another person the switch.
func Headroom(p *ir.Port, b *ir.Buffer) int {
	if p.Device().Switch == nil || p.Device().ByHand != nil || !b.Size.Set() {
		return 0
	}
	rooms := p.Headrooms()
	if len(rooms) < len(p.Buffers()) {
		return rooms[0]
	}
	return rooms[slices.Index(p.Buffers(), b)]
}

func portPauses(l *Look, put func(string, ...string)) {
	l.lossless(func(p *ir.Port, b *ir.Buffer) {
		value := "0"
		if l.Pauses.Expected(p, b.Group) {
			value = "1"
		}
		put(value, p.Device().Name, p.Name, priority(b.Group.Cos))
	})
}

func noticesSent(l *Look, put func(string, ...string)) {
	l.notices(put, func(n NICNotice) ir.Counter { return n.Sent })
}

func noticesHandled(l *Look, put func(string, ...string)) {
	l.notices(put, func(n NICNotice) ir.Counter { return n.Handled })
}

func (l *Look) notices(put func(string, ...string), field func(NICNotice) ir.Counter) {
	for i := range l.Devices {
		d := &l.Devices[i]
		if !d.Read || d.Device.Host == nil {
			continue
		}
		for _, nic := range d.Device.Host.NICs {
			if n := field(d.Notices[nic.Name]); n.Known {
				put(whole(n.Value), d.Device.Name, nic.Name)
			}
		}
	}
}

// noticesUnknown counts the NICs of marked intents, also those of devices that others set. It has no sample if no intent is marked.
func noticesUnknown(l *Look, put func(string, ...string)) {
	known := map[*ir.NIC]bool{}
	for i := range l.Devices {
		d := &l.Devices[i]
		if !d.Read || d.Device.Host == nil {
			continue
		}
		for _, nic := range d.Device.Host.NICs {
			n := d.Notices[nic.Name]
			known[nic] = n.Sent.Known && n.Handled.Known
		}
	}
	marked, unknown := false, map[*ir.NIC]bool{}
	for _, in := range l.Fabric.Intents {
		if !Notifies(in) {
			continue
		}
		marked = true
		for _, m := range in.Members {
			if !known[m.NIC] {
				unknown[m.NIC] = true
			}
		}
	}
	if marked {
		put(strconv.Itoa(len(unknown)))
	}
}

// Notifies reports whether switches mark the traffic of an intent, and its receivers send notifications.
func Notifies(in *ir.Intent) bool { return in.Version == 2 && in.Group.ECN != nil && in.CNP != nil }

func deviceState(l *Look, put func(string, ...string)) {
	for i := range l.Devices {
		if d := &l.Devices[i]; d.Read {
			put("1", d.Device.Name, d.State)
		}
	}
}

func deviceRead(l *Look, put func(string, ...string)) {
	for i := range l.Devices {
		value := "0"
		if l.Devices[i].Read {
			value = "1"
		}
		put(value, l.Devices[i].Device.Name)
	}
}

func lastLook(l *Look, put func(string, ...string)) {
	if !l.When.IsZero() {
		put(strconv.FormatInt(l.When.Unix(), 10))
	}
}

func findings(l *Look, put func(string, ...string)) {
	for _, f := range l.Findings {
		put(strconv.Itoa(f.N), f.Code, f.Severity)
	}
}

func buildInfo(l *Look, put func(string, ...string)) { put("1", l.Version) }

func priority(n int) string { return strconv.Itoa(n) }

// whole writes a number.
func whole(n uint64) string { return strconv.FormatUint(n, 10) }

// seconds writes microseconds as seconds, without rounding.
func seconds(us uint64) string {
	const perSecond = uint64(time.Second / time.Microsecond)
	return fmt.Sprintf("%d.%06d", us/perSecond, us%perSecond)
}

package senders

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/nic/steps"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/sender"
)

// Answers returns the answers about the senders of the intents on a host's NICs of a target. NICs with the same answer share one.
func Answers(t *target.Target, d *ir.Device, state func(path string) []byte, facts sender.Facts) (out []sender.Reach) {
	all, read := t.Markings(), t.Read(d, state)
	var any *nic.Family // the settings of a NIC are the same for every driver
	for _, n := range nic.Of(d, t.Driver) {
		s := any.Lower(n)
		j := compared{s: s, value: nic.ValueIn(state(steps.StateName(n.Name))), port: ir.UnknownPort(), seen: seenOf(facts(n.Name))}
		if read != nil && read.Ports[n.Name] != nil {
			j.port = *read.Ports[n.Name]
		}
		for _, in := range s.Intents {
			for i := range all {
				if all[i].By == "" {
					continue
				}
				one, has := j.answer(in, &all[i])
				if !has {
					continue
				}
				same := func(have sender.Reach) bool {
					have.NICs = one.NICs
					return reflect.DeepEqual(have, one)
				}
				if at := slices.IndexFunc(out, same); at >= 0 {
					out[at].NICs = append(out[at].NICs, n.Name)
					continue
				}
				one.NICs = []string{n.Name}
				out = append(out, one)
			}
		}
	}
	return out
}

// compared has the values of one NIC, to compare them with the marks of its intents.
type compared struct {
	s     *nic.Settings
	value func(key string) string // of the live state
	port  ir.PortSettings         // the same as settings
	seen  *seen                   // nil: the probe did not run
}

// answer returns the answer about a sender of an intent, without the NIC. has reports whether the NIC has such a sender.
func (j *compared) answer(in *ir.Intent, m *sender.Marking) (one sender.Reach, has bool) {
	one = sender.Reach{Intent: in.Name, Sender: m.Kind}
	p := j.s.NIC.Packet(in)
	switch m.Kind {
	case sender.CM:
		one.State, one.Detail = j.byCM(in, p)
		return one, true // a program that states no type of service needs no variable
	case sender.Verbs:
		one.State, one.Detail = j.byVerbs(in)
	case sender.VF:
		if j.seen != nil && len(j.seen.vfs) == 0 {
			return one, false
		}
		one.State, one.Detail = j.byVFs(in)
		one.Pod = nic.PodNetwork(p, in)
	case sender.Container:
		one.State, one.Detail = sender.Unknown, j.containers()
		one.Pod = nic.PodNetwork(p, in)
	default:
		one.State, one.Detail = sender.Unknown, "Only each program knows the mark of the queue pairs that its GPU uses."
	}
	if prio, known := j.priority(0); in.ByDSCP() && one.State == sender.Unknown && known && prio == in.Group.Cos {
		one.State, one.Detail = sender.Holds, fmt.Sprintf("Packets without a mark have DSCP 0, which is priority %d.", prio)
	}
	if one.State != sender.Holds {
		one.Settings = nic.Marks(p, in.ByDSCP())
	}
	return one, true
}

// priority returns the priority that the NIC gives untagged packets with a type of service, by the values that were read.
func (j *compared) priority(tos int) (prio int, known bool) {
	switch prio := j.port.DSCP[tos>>2]; {
	case !j.port.TrustKnown:
		return 0, false
	case !j.port.Trust.DSCP:
		return 0, true
	case prio < 0:
		return 0, false
	default:
		return int(prio), true
	}
}

// byCM judges the default of RDMA-CM: by DSCP its type of service, by PCP the map of the VLAN interface.
func (j *compared) byCM(in *ir.Intent, p ir.Packet) (sender.State, string) {
	if in.ByDSCP() {
		return j.byDefault(in, "default_roce_tos", j.value("tos"))
	}
	m, known := nic.ReadVLANMap(strings.Split(j.value("vlan_map"), ","))
	if !known {
		return sender.Unknown, "The map of the VLAN interface was not read."
	}
	for _, sk := range []int{0, 2, 4, 6} { // the socket priorities of types of service, see [nic.VLANRows]
		if int(m[sk]) != p.PCP {
			return sender.Escapes, fmt.Sprintf("The VLAN interface gives socket priority %d the PCP %d; %s has PCP %d.", sk, m[sk],
				in.Name, p.PCP)
		}
	}
	return sender.Holds, fmt.Sprintf("The VLAN interface gives all socket priorities of RDMA-CM the PCP %d.", p.PCP)
}

// byVerbs judges queue pairs that a program makes without RDMA-CM.
func (j *compared) byVerbs(in *ir.Intent) (sender.State, string) {
	if !in.ByDSCP() {
		return sender.Unknown, "Only each program knows its service level, which is the PCP."
	}
	if _, err := strconv.ParseUint(j.value("traffic_class"), 10, 8); err == nil {
		return j.byDefault(in, "traffic_class", j.value("traffic_class"))
	}
	if prio, known := j.priority(0); known {
		return sender.Unknown, fmt.Sprintf("Only each program knows its mark; packets without a mark have DSCP 0, which is priority %d.",
			prio)
	}
	return sender.Unknown, "Only each program knows its mark; packets without a mark have DSCP 0."
}

// byDefault judges a default of an RDMA device.
func (j *compared) byDefault(in *ir.Intent, name, value string) (sender.State, string) {
	why, cannot := nic.Cannot(value)
	tos, err := strconv.ParseUint(value, 10, 8)
	switch {
	case value == "":
		return sender.Unknown, name + " was not read."
	case cannot:
		return sender.Unknown, fmt.Sprintf("%s cannot be read: %s.", name, nic.OrNoWay(target.Escape(why)))
	case err != nil: // "unread", while no apply has made the folder in configfs
		return sender.Unknown, fmt.Sprintf("%s has no value to read: it is %q.", name, target.Escape(value))
	}
	prio, known := j.priority(int(tos))
	switch {
	case !known:
		return sender.Unknown, fmt.Sprintf("%s is %d, and the priority of DSCP %d was not read.", name, tos, tos>>2)
	case prio != in.Group.Cos:
		return sender.Escapes, fmt.Sprintf("%s is %d: DSCP %d has priority %d, and %s has %d.", name, tos, tos>>2, prio, in.Name,
			in.Group.Cos)
	}
	return sender.Holds, fmt.Sprintf("%s is %d: DSCP %d has priority %d.", name, tos, tos>>2, prio)
}

// byVFs judges the defaults of the RDMA devices of virtual functions. They hold only if every device has them all.
func (j *compared) byVFs(in *ir.Intent) (sender.State, string) {
	if j.seen == nil {
		return sender.Unknown, "The RDMA devices of virtual functions were not read."
	}
	state := sender.Holds
	var details []string
	for i := range j.seen.vfs {
		v := &j.seen.vfs[i]
		details = append(details, fmt.Sprintf("Virtual functions %s: %s.", v.ranges, v.text()))
		if !in.ByDSCP() { // no public source states whether RoCE packets get the VLAN of a virtual function
			state = sender.Unknown
			continue
		}
		for name, value := range map[string]string{"default_roce_tos": v.tos, "traffic_class": v.class} {
			switch found, _ := j.byDefault(in, name, value); {
			case found == sender.Escapes:
				state = sender.Escapes
			case found == sender.Unknown && state == sender.Holds:
				state = sender.Unknown
			}
		}
	}
	return state, strings.Join(details, " ")
}

// containers describes the devices of containers.
func (j *compared) containers() string {
	const pod = " Only the pod knows the marks of its programs."
	switch {
	case j.seen == nil || j.seen.netns == "":
		return "It is not known whether containers share the RDMA devices of the host." + pod
	case j.seen.netns == netnsShared:
		return "Containers share the RDMA devices of the host, and the defaults of a device reach them, too." + pod
	}
	return "Containers have RDMA devices of their own, which the host does not show." + pod
}

// rangesText spells sorted numbers: "0-3,7".
func rangesText(numbers []int) string {
	var b strings.Builder
	for i := 0; i < len(numbers); {
		k := i
		for k+1 < len(numbers) && numbers[k+1] == numbers[k]+1 {
			k++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(numbers[i]))
		if k > i {
			b.WriteString("-" + strconv.Itoa(numbers[k]))
		}
		i = k + 1
	}
	return b.String()
}

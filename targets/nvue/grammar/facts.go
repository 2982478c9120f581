package grammar

import "strings"

// The settings of `qos roce`. Source: RDMA over Converged Ethernet, Cumulus Linux 5.9 and 5.14. They are the same in both modes, except
// for PFC.
const (
	PresetCos         = 3 // lossless, and marked
	PresetCNP         = 6 // strict
	PresetPercent     = 50
	PresetMetres      = 100
	PresetPool        = 50 // percent of the memory in the pool roce-lossless
	PresetMin         = 150_000
	PresetMax         = 1_500_000
	PresetProbability = 100
)

// DefaultGlobal is the profile of all ports that are not bound to another one.
const DefaultGlobal = "default-global"

// PresetIsOn reports whether a tree has the preset: `qos roce` without a state is on.
func PresetIsOn(set *Tree) bool {
	t := set.Get("qos", "roce")
	if t == nil {
		return false
	}
	for _, key := range []string{"enable", "state"} {
		if on, ok := On(t.Get(key)); ok {
			return on
		}
	}
	return true
}

// PresetIsLossy reports whether the preset of a tree is in a mode that pauses nothing.
func PresetIsLossy(set *Tree) bool {
	mode := set.Get("qos", "roce", "mode")
	return mode.IsScalar() && strings.HasPrefix(mode.Value, "lossy")
}

// Bonds returns the bond of every interface that is a member of one.
func Bonds(set *Tree) map[string]string {
	out := map[string]string{}
	interfaces := set.Get("interface")
	for _, name := range interfaces.Keys() {
		for member := range interfaces.Get(name, "bond", "member").MapOf() {
			out[member] = name
		}
	}
	return out
}

// Queue returns the traffic class of a priority in a tree. From the factory it has the same number; with the preset it is class 0,
// except for the two priorities with classes of their own.
func Queue(set *Tree, cos int) int {
	q := cos
	if cos != PresetCos && cos != PresetCNP && PresetIsOn(set) {
		q = 0
	}
	n, ok := Whole(set.Get("qos", "egress-queue-mapping", DefaultGlobal, "switch-priority", string(rune('0'+cos)), "traffic-class"))
	if ok && n < 8 {
		q = n
	}
	return q
}

// UnsurePreset reports whether it is unknown if the preset is on, because a part of the tree is unknown.
func UnsurePreset(set *Tree) bool {
	t := set.Get("qos", "roce")
	return Unknown(t) || Unknown(t.Get("enable")) || Unknown(t.Get("state"))
}

// SureQueue reports whether the traffic class of a priority is known.
func SureQueue(set *Tree, cos int) bool {
	x := set.Get("qos", "egress-queue-mapping", DefaultGlobal, "switch-priority", string(rune('0'+cos)), "traffic-class")
	return !Unknown(x) && (x != nil || cos == PresetCos || cos == PresetCNP || !UnsurePreset(set))
}

// QoSOf returns the paths of a tree below which settings of QoS are.
func QoSOf(t *Tree) (paths []string) {
	if t.Get("qos") != nil {
		paths = append(paths, "qos")
	}
	interfaces := t.Get("interface")
	for _, i := range interfaces.Keys() {
		if interfaces.Get(i, "qos") != nil {
			paths = append(paths, Spell([]string{"interface", i, "qos"}))
		}
	}
	return paths
}

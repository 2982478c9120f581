package lint

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nvue/grammar"
)

// vlanName matches the name of the interface of a VLAN, for interfaces without a stated type.
var vlanName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^vlan[0-9]+$`) })

// notPort returns the kind of an interface that is neither a port nor a bond; empty if it may be one.
func (j *judge) notPort(i string) string {
	kind := ""
	if t := j.set.Get("interface", i, "type"); t.IsScalar() {
		kind = t.Value
	}
	parent, _, dotted := strings.Cut(i, ".")
	_, ofPort := grammar.ParsePort(parent)
	switch {
	case kind == "eth" || kind == "" && i == "eth0":
		return "the management port"
	case kind == "svi" || kind == "" && vlanName().MatchString(i):
		return "the interface of a VLAN"
	case kind == "sub" || kind == "" && dotted && (ofPort || j.set.Get("interface", parent).IsMap()):
		return "a subinterface"
	case kind == "loopback" || kind == "" && i == "lo":
		return "the loopback"
	}
	return ""
}

// backwards matches a range of ports with descending numbers.
var backwards = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(swp(?:[0-9]+s)?)([0-9]+)-(?:swp(?:[0-9]+s)?)?([0-9]+)$`)
})

// breakout matches the number of parts of a split port: 2x, 4x, 8x, or an older 4x25G.
var breakout = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([248])x`) })

// takesQoS reports whether an interface can have settings of QoS, with a finding if it cannot.
func (j *judge) takesQoS(i string) bool {
	t := j.set.Get("interface", i)
	name := diag.Escape(i)
	if what := j.notPort(i); what != "" {
		j.warnf(&topicMember, t.Key, "%s is %s, and has settings of QoS. Only front-panel ports and bonds have them in the manuals: NVUE "+
			"refuses them, or they have no effect. Set them for the ports.", name, what)
		return false
	}
	kind := t.Get("type")
	if !strings.HasPrefix(i, "swp") || kind.IsScalar() && kind.Value != "swp" {
		return true
	}
	port, ok := grammar.ParsePort(i)
	if !ok && grammar.Unknown(kind) && !backwards().MatchString(i) { // it may be a bond
		return true
	}
	if !ok {
		hint := "Ports are called swp1, or swp1s0 if they are split."
		if m := backwards().FindStringSubmatch(i); m != nil {
			hint = fmt.Sprintf("A range goes from the lower number to the higher: %s%s-%s.", m[1], m[3], m[2])
		}
		j.errorf(&topicMember, t.Key, "%s has settings of QoS, and no port has that name, so they have no effect or NVUE refuses them. %s",
			name, hint)
		return false
	}
	if j.model != nil && port.N > j.lastPort() {
		j.errorf(&topicMember, t.Key, "%s has settings of QoS, and the header names the model %s, whose last port is swp%d. NVUE "+
			"refuses them, or they have no effect. Check that the file is of this switch.", name, j.model.Title, j.lastPort())
		return false
	}
	if n := parts(t.Get("link", "breakout")); port.Sub < 0 && n > "" {
		last := int(n[0]-'0') - 1
		j.errorf(&topicMember, t.Get("qos").Key, "%s has settings of QoS and is split into %s, so no port of that name is left. Set them for "+
			"%ss0 to %ss%d.", name, n, name, name, last)
		return false
	}
	return true
}

// lastPort returns the highest number of a port of the model. For models with service ports after the last cage, the tables of SONiC and
// the manuals of Cumulus differ by one.
func (j *judge) lastPort() int {
	last := 0
	for _, r := range j.model.Ports {
		end := r.Last
		if r.Lanes == 1 && r.First > 64 {
			end++
		}
		last = max(last, end)
	}
	return last
}

// parts returns the number of parts of a split port; empty: the port is not split.
func parts(t *grammar.Tree) string {
	words := t.Keys()
	if t.IsScalar() {
		words = []string{t.Value}
	}
	for _, w := range words {
		if m := breakout().FindStringSubmatch(w); m != nil {
			return m[1]
		}
	}
	return ""
}

// pausesAt reports whether a port has PFC or link pause, and whether it is known to have neither.
func (j *judge) pausesAt(i string) (pauses, neither bool) {
	pauses, may := j.losslessAt(i) != 0, false
	for _, table := range []string{"pfc", "link-pause"} {
		name, p := j.bound(i, table)
		pauses = pauses || table == "link-pause" && p.IsMap() && len(p.Kids) > 0
		may = may || grammar.Unknown(p) || p != nil && p.Open || grammar.Unknown(p.Get("switch-priority")) ||
			name == grammar.DefaultGlobal && j.unsure
	}
	return pauses, !pauses && !may
}

// losslessAt returns the priorities for which a port has PFC.
func (j *judge) losslessAt(i string) uint8 {
	name, p := j.bound(i, "pfc")
	cos := grammar.Digits(p.Get("switch-priority"))
	if cos == 0 && name == grammar.DefaultGlobal && j.preset && !grammar.PresetIsLossy(j.set) {
		return 1 << grammar.PresetCos
	}
	return cos
}

// ignored reports files of QoS that NVUE does not write, because of system config apply ignore.
func (j *judge) ignored() {
	sets := len(j.set.Get("qos").MapOf()) > 0
	for i := range j.set.Get("interface").MapOf() {
		sets = sets || len(j.set.Get("interface", i, "qos").MapOf()) > 0
	}
	ignore := j.set.Get("system", "config", "apply", "ignore")
	if !sets || ignore == nil {
		return
	}
	say := func(path string, at grammar.Place) {
		under := strings.TrimRight(path, "/*") + "/"
		if !strings.HasPrefix(grammar.FeaturesPath+"/", under) && !strings.HasPrefix(grammar.InfraPath+"/", under) {
			return
		}
		j.errorf(&topicIgnore, at, "NVUE does not write %s here, so files configure QoS on the switch, and no setting below qos has an effect. "+
			"Remove the exception (nv unset system config apply ignore %[1]s), or give rocec qos_features.conf and qos_infra.conf of the switch "+
			"instead.", diag.Escape(path))
	}
	for _, k := range ignore.Keys() {
		say(k, ignore.Get(k).Key)
	}
	for _, item := range ignore.Items {
		say(item.Value, item.At)
	}
	if ignore.IsScalar() {
		say(ignore.Value, ignore.At)
	}
}

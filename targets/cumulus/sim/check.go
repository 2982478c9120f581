package sim

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rocec/rocec/targets/cumulus/grammar"
)

// check finds the faults of a traffic.conf: lines that are not settings, keys and values that are not in the grammar, and incomplete maps.
// It also finds a cos that is not in exactly one priority group, and port groups without ports.
//
// Releases with the checker require a complete map of a trusted field. Earlier manuals print partial maps, and give unmapped values a
// default priority.
func check(content []byte, complete bool) []string {
	lines, err := grammar.Parse(content)
	if lines == nil && err != nil {
		return []string{err.Error()}
	}
	if faults := checkSyntax(lines); len(faults) > 0 {
		return faults
	}
	conf := grammar.ValuesOf(lines)
	faults := append(checkValues(lines, conf, grammar.TrafficConf), checkMap(conf, complete)...)
	return append(append(faults, checkPriorityGroups(conf)...), checkEveryPortGroup(conf)...)
}

// checkPair finds the faults of a qos_features.conf and its qos_infra.conf. Either may be empty, as the release has defaults.
func checkPair(features, infra []byte) (faults []string) {
	all := grammar.Values{}
	for _, f := range []struct {
		content []byte
		in      grammar.Dialects
	}{{features, grammar.QoSFeatures}, {infra, grammar.QoSInfra}} {
		lines, err := grammar.Parse(f.content)
		if lines == nil && err != nil {
			return []string{err.Error()}
		}
		if faults := checkSyntax(lines); len(faults) > 0 {
			return faults
		}
		conf := grammar.ValuesOf(lines)
		faults = append(faults, checkValues(lines, conf, f.in)...)
		maps.Copy(all, conf)
	}
	faults = append(faults, checkMap(all, true)...)
	faults = append(faults, checkPriorityGroups(all)...)
	faults = append(faults, checkEveryPortGroup(all)...)
	return append(faults, checkPools(all)...)
}

// checkPools checks that the ingress pools do not exceed the memory, and that the pool of lossless traffic exists.
func checkPools(conf grammar.Values) (faults []string) {
	sum := 0.0
	for pool := range 8 {
		v, _ := conf.Get(grammar.IngressPool, grammar.PoolShare, pool, "")
		p, _ := grammar.Percentage(v)
		sum += p
	}
	if sum > 100 {
		faults = append(faults, fmt.Sprintf("ingress pools take %g percent", sum))
	}
	pool, named := conf.Get(grammar.FlowControl, grammar.LosslessIngressPool, -1, "")
	if n, ok := grammar.Number(pool, 7); named && ok {
		if v, _ := conf.Get(grammar.IngressPool, grammar.PoolShare, n, ""); v == "" {
			faults = append(faults, fmt.Sprintf("buffer pool %d size 0 is invalid", n))
		}
	}
	return faults
}

// checkEveryPortGroup checks the port groups of all features.
func checkEveryPortGroup(conf grammar.Values) (faults []string) {
	for _, f := range slices.Concat(grammar.Pausing, grammar.Marking) {
		faults = append(faults, checkPortGroups(conf, f)...)
	}
	return faults
}

// checkSyntax finds lines that are neither a setting nor a comment nor empty.
func checkSyntax(lines []grammar.Line) (faults []string) {
	for i := range lines {
		l := &lines[i]
		text, _, _ := strings.Cut(l.Text(), "#")
		if text = strings.TrimSpace(text); text != "" && (l.Key == "" || l.Value == "") {
			faults = append(faults, fmt.Sprintf("Syntax error in line %d: %q", i+1, text))
		}
	}
	return faults
}

// faultOf names the fault of a value that does not have its key's type.
var faultOf = map[grammar.Type]string{
	grammar.CosList: "no such cos",
	grammar.Ports:   "no such port",
	grammar.Size:    "is not a number of bytes",
}

// checkValues finds keys and values that are not in the grammar. Such a key is below a feature of the file and in no release. Such a value
// does not have the type of its key. For a key set twice the last line counts. The simulation does not know the dialect of a switch, so
// checkValues accepts every dialect of the file.
func checkValues(lines []grammar.Line, conf grammar.Values, in grammar.Dialects) (faults []string) {
	said := map[string]bool{}
	for i := range lines {
		l := &lines[i]
		if !l.Active() || said[l.Key] {
			continue
		}
		said[l.Key] = true
		words := strings.Split(l.Key, ".")
		k, _, _ := grammar.Match(words)
		f := grammar.Feature(words[0])
		switch value := conf[l.Key]; {
		case k != nil && k.Could()&in != 0:
			if !k.Type.Takes(value, in) {
				fault, ok := faultOf[k.Type]
				if !ok {
					fault = "no such value"
				}
				faults = append(faults, fmt.Sprintf("%s: %s: %q", l.Key, fault, value))
			}
		case f.Known() && f.Dialects()&in != 0 && in&grammar.QoSInfra == 0: // the manuals describe only parts of the other file
			faults = append(faults, fmt.Sprintf("%s: no such key", l.Key))
		}
	}
	return faults
}

// checkMap checks that the map contains every value of every trusted field, for releases that require this.
func checkMap(conf grammar.Values, complete bool) (faults []string) {
	trusted, ok := conf.Get(grammar.Switch, grammar.TrustOne, -1, "")
	if !ok {
		trusted, _ = conf.Get(grammar.Switch, grammar.TrustSet, -1, "")
	}
	for _, field := range grammar.Items(trusted) {
		switch field {
		case grammar.FieldPCP:
			faults = append(faults, checkField(conf, complete, "8021p", grammar.MapPCP)...)
		case grammar.FieldDSCP:
			faults = append(faults, checkField(conf, complete, "dscp", grammar.MapDSCP)...)
		}
	}
	return faults
}

// checkField checks the map of one field: the keys for this field, and those for the one trusted field.
func checkField(conf grammar.Values, complete bool, name string, own grammar.Meaning) (faults []string) {
	keys := grammar.Find(grammar.Switch, own)
	top, _ := keys[0].Type.Highest()
	mapped := make([]bool, top+1)
	for _, k := range slices.Concat(keys, grammar.Find(grammar.Switch, grammar.MapTrusted)) {
		for cos := range 8 {
			for _, v := range grammar.Items(conf[k.Spell(cos, "")]) {
				n, ok := grammar.Number(v, top)
				if !ok && k.Means == grammar.MapTrusted { // the type of the others was checked
					faults = append(faults, fmt.Sprintf("Traffic source %s: invalid priority value '%s' in %s", name, v, k.Spell(cos, "")))
				}
				if ok {
					mapped[n] = true
				}
			}
		}
	}
	for v, ok := range mapped {
		if complete && !ok {
			faults = append(faults, fmt.Sprintf("Traffic source %s: missing mapping for priority value '%d'", name, v))
		}
	}
	return faults
}

// checkPriorityGroups checks that every cos is in exactly one group of the list.
func checkPriorityGroups(conf grammar.Values) (faults []string) {
	groups, ok := conf.Get(grammar.Switch, grammar.PriorityGroups, -1, "")
	if !ok {
		return nil
	}
	in := map[string]string{}
	for _, g := range grammar.Items(groups) {
		list, _ := conf.Get(grammar.PriorityGroup, grammar.GroupCos, -1, g)
		for _, cos := range grammar.Items(list) {
			if other := in[cos]; other != "" {
				faults = append(faults, fmt.Sprintf("cos %s is in the priority groups %s and %s", cos, other, g))
			}
			in[cos] = g
		}
	}
	for cos := range 8 {
		if in[fmt.Sprint(cos)] == "" {
			faults = append(faults, fmt.Sprintf("cos %d is in no priority group", cos))
		}
	}
	return faults
}

// checkPortGroups checks that every listed port group has ports, and cos if the feature has such a key.
func checkPortGroups(conf grammar.Values, f grammar.Feature) (faults []string) {
	list, _ := conf.Get(f, grammar.Groups, -1, "")
	for _, g := range grammar.Items(list) {
		for _, m := range []grammar.Meaning{grammar.GroupPorts, grammar.GroupCos} {
			if len(grammar.Find(f, m)) == 0 {
				continue
			}
			_, ok := conf.Get(f, m, -1, g)
			if m == grammar.GroupCos && len(grammar.Find(f, grammar.GroupQueues)) > 0 { // queues can replace cos
				_, queues := conf.Get(f, grammar.GroupQueues, -1, g)
				ok = ok || queues
			}
			if !ok {
				faults = append(faults, fmt.Sprintf("%s: port group %s has no %s", f, g, m.Word()))
			}
		}
	}
	return faults
}

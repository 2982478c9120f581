package nvue

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nvue/grammar"
	"github.com/rocec/rocec/targets/target"
)

// claims lists statements that rocec relies on, each with a query that confirms or refutes it on a switch. Some are in the manuals of
// NVUE, and others are undocumented. The queries read only keys, numbers and words of the grammar, since the configuration contains
// logins, and people choose the names of profiles and bonds.
func claims(d *ir.Device) []target.Claim {
	rel, ok := grammar.ParseRelease(d.Switch.Version)
	if !ok || len(d.Ports) == 0 {
		return nil
	}
	later := rel.AtLeast(5, 15)
	port := sorted(d.Ports)[0].Name
	out := []target.Claim{
		{
			ID: "nvue-version", Says: "`nv --version` prints the release.", Source: "no manual prints it; rocec reads /etc/os-release instead",
			Query: target.Query{Cmd: "nv --version | head -n 5"},
			Judge: func(answer []byte) target.Verdict {
				return target.Decide(!refused(answer), strings.Contains(string(answer), d.Switch.Version))
			},
		},
		{
			ID: "nvue-yaml-block", Own: true,
			Says:   "`nv config show -o yaml` prints a list of `- header:` and `- set:`, with a line for each key below them.",
			Source: "the automation workshop and the manual of 5.15 print this form; neither states that it is always used",
			Query: target.Query{Cmd: `nv config show -o yaml | grep -oE '^- [a-z]+:( *[{["])?[}]?|` +
				`^ *(model|nvue-api-version|rev-id|version|bridge|interface|qos|router|service|system|vrf):' | sort -u`},
			Judge: func(answer []byte) target.Verdict {
				lines := linesOf(answer)
				return target.Decide(!refused(answer) && len(lines) > 0 && !slices.Contains(lines, "- set: {}"), slices.Contains(lines, "- set:"))
			},
		},
		{
			ID: "nvue-quoted-numbers", Own: true,
			Says: "Keys that are numbers have quotes in YAML.", Source: "the automation workshop prints quotes",
			Query: target.Query{Cmd: `nv config show --all -o yaml | grep -oE "^ +['\"]?[0-9]+['\"]?:" | tr -d ' ' | sort -u | head -n 20`},
			Judge: func(answer []byte) target.Verdict {
				lines := linesOf(answer)
				some := slices.ContainsFunc(lines, func(l string) bool { return strings.ContainsAny(l, "0123456789") && strings.HasSuffix(l, ":") })
				return target.Decide(!refused(answer) && some, !slices.ContainsFunc(lines, func(l string) bool { return l[0] >= '0' && l[0] <= '9' }))
			},
		},
		wordClaim("nvue-roce-word", "The preset is switched by", grammar.PresetOn, rel, "nv show qos roce -o json",
			"NVUE Reference, Set and Unset Commands, QoS: enable up to 5.14"),
		wordClaim("nvue-adaptive-word", "Adaptive routing is switched by", grammar.RoutingAdaptive, rel,
			"nv show router adaptive-routing -o json", "NVUE Reference, Adaptive Routing; no reference of 5.15 and later prints the name"),
		{
			ID: "nvue-roce-cable", Own: true, Says: "The preset does not have its own cable-length.",
			Source: "an NVUE Reference of 5.x has it only up to 5.3, and the one of 5.17 has it again",
			Query:  picked("nv show qos roce -o json", `"(cable-length|mode|trust-mode)":`),
			Judge: func(answer []byte) target.Verdict { // a switch without the preset does not show the key
				lines := linesOf(answer)
				return target.Decide(slices.Contains(lines, `"mode":`), !slices.Contains(lines, `"cable-length":`))
			},
		},
		{
			ID: "nvue-ecn-word", Own: true, Says: "ecn, red, tx and rx are saved as enable and disable.",
			Source: "Cumulus Linux 5.17: the chapter Quality of Service prints enable, the examples of the NVUE Reference print enabled",
			Query:  picked("nv config show --all -o json", `"(ecn|red|tx|rx)": *"[a-z]+"`),
			Judge: func(answer []byte) target.Verdict {
				found := values(answer)
				return target.Decide(len(found) > 0, !slices.ContainsFunc(found, func(v string) bool { return v != "enable" && v != "disable" }))
			},
		},
		autoSaveClaim(rel, later),
		{
			ID: "nvue-json-sizes", Own: true, Says: "A size is a number in JSON, or a text with B, Bytes, KB or MB.",
			Source: "the tables of the chapter Quality of Service have units; no manual prints the JSON",
			Query:  picked("nv show qos congestion-control default-global -o json", `"(min|max)-threshold": *("[^"]*"|[0-9.]+)`),
			Judge: func(answer []byte) target.Verdict {
				found := values(answer)
				return target.Decide(len(found) > 0, !slices.ContainsFunc(found, func(v string) bool {
					n, err := strconv.ParseFloat(v, 64)
					_, ok := Bytes(v)
					if err == nil {
						_, ok = Bytes(n)
					}
					return !ok
				}))
			},
		},
		{
			ID:     "nvue-priority-group-keys",
			Says:   "NVUE shows the reserve of a port by priority group, under the keys lossy-lossless and headroom.",
			Source: "Cumulus Linux 5.17, Quality of Service, prints the table and not its JSON",
			Query: picked("nv show interface "+port+" qos buffer ingress-priority-group -o json",
				`"[A-Za-z0-9/ _-]+": *("(lossy|lossless|Lossy|Lossless)"|[{])?`),
			Judge: func(answer []byte) target.Verdict {
				text := string(answer)
				return target.Decide(strings.Contains(text, `":`), strings.Contains(text, `"lossy-lossless":`) && strings.Contains(text, `"headroom":`))
			},
		},
		{
			ID:     "nvue-revision-keys",
			Says:   "`nv config revision -o json` has an object of revisions by their numbers, each with its state; one is applied.",
			Source: "clients of the API; no manual prints it", Query: revisionQuery,
			Judge: func(answer []byte) target.Verdict {
				lines := linesOf(answer)
				numbered := slices.ContainsFunc(lines, func(l string) bool { return numberedKey().MatchString(l) })
				is := slices.ContainsFunc(values(answer), func(v string) bool {
					return slices.Contains([]string{"applied", "applied_and_saved", "saved", "confirm"}, v)
				})
				return target.Decide(strings.Contains(string(answer), `"state":`), numbered && is)
			},
		},
		{
			ID: "nvue-parent-number", Says: "A revision names its parent revision by number.",
			Source: "clients of the API show a number, and also the word applied", Query: revisionQuery,
			Judge: func(answer []byte) target.Verdict {
				var parents []string
				for _, l := range linesOf(answer) {
					if v, ok := strings.CutPrefix(l, `"parent-revision-id":`); ok {
						parents = append(parents, strings.Trim(v, ` "`))
					}
				}
				named := slices.ContainsFunc(parents, func(v string) bool { _, err := strconv.Atoi(v); return err != nil })
				return target.Decide(len(parents) > 0, !named)
			},
		},
		{
			ID: "nvue-diff-empty", Says: "`nv config diff` of two equal revisions prints nothing, and ends with status 0.",
			Source: "the manuals state neither", Query: target.Query{Cmd: "nv config diff applied applied; echo \"status $?\""},
			Judge: func(answer []byte) target.Verdict {
				return target.Decide(!refused(answer), strings.TrimSpace(string(answer)) == "status 0")
			},
		},
		{
			ID: "nvue-cable-default", Own: true, Says: "A PFC profile without cable-length is sized for 10 m.",
			Source: "Cumulus Linux 5.17, Quality of Service; with the preset 100",
			Query: picked("nv show qos pfc default-global -o json",
				`"(cable-length|port-buffer|xoff-threshold|xon-threshold)": *("[0-9.]+ ?[A-Za-z]*"|[0-9.]+)`),
			Judge: func(answer []byte) target.Verdict { // others may have set any other length
				return target.Decide(slices.ContainsFunc(linesOf(answer), func(l string) bool { return l == `"cable-length": 10` }), true)
			},
		},
		{
			ID: "nvue-startup", Says: "The saved configuration is in " + startup + ".",
			Source: "Cumulus Linux 5.15, NVUE CLI; no manual states this for a fresh switch",
			Query:  target.Query{Cmd: "if [ -f " + startup + " ]; then echo there; else echo none; fi"},
			Judge: func(answer []byte) target.Verdict {
				return target.Decide(slices.Contains(linesOf(answer), "there"), true)
			},
		},
		{
			ID: "nvue-eeprom", Says: "`decode-syseeprom -j` has the model in the object tlv, as Product Name.",
			Source: "public output; no manual prints it",
			Query:  picked("decode-syseeprom -j", `"(tlv|Product Name|Part Number|value)":`),
			Judge: func(answer []byte) target.Verdict {
				lines := linesOf(answer)
				return target.Decide(slices.Contains(lines, `"value":`), slices.Contains(lines, `"tlv":`) && slices.Contains(lines, `"Product Name":`))
			},
		},
	}
	if rel.AtLeast(5, 17) {
		out = append(out, target.Claim{
			ID: "nvue-small-packets-place", Own: true, Says: "small-packet-probability belongs to the PFC profile.",
			Source: "the NVUE Reference has it there; the chapter Quality of Service of 5.17 has it below the interface",
			Query: target.Query{Cmd: "echo profile\n" + picked("nv show qos pfc default-global -o json", smallPackets).Cmd +
				"\necho interface\n" + picked("nv show interface "+port+" qos -o json", smallPackets).Cmd},
			Judge: func(answer []byte) target.Verdict {
				profile, own, _ := strings.Cut(string(answer), "interface\n")
				in, out := strings.Contains(profile, "small-packet"), strings.Contains(own, "small-packet")
				return target.Decide(in != out, in)
			},
		})
	}
	return out
}

const (
	startup      = "/etc/nvue.d/startup.yaml"
	smallPackets = `"small-packet-probability": *[0-9]+`
)

// revisionQuery returns revisions without messages and users.
var revisionQuery = picked("nv config revision -o json",
	`"[0-9]+": *[{]|"(applied|startup|empty|message|user|additional-data)":|"(state|parent-revision-id)": *"?[A-Za-z0-9_]*"?`)

var numberedKey = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^"[0-9]+":`) })

// picked runs a command of nv and keeps the parts of its JSON that match, each once. Messages about a failure stay.
func picked(cmd, form string) target.Query {
	return target.Query{Cmd: cmd + " | grep -oE '" + form + "' | sort -u"}
}

// refused reports whether nv rejected the command or failed.
func refused(answer []byte) bool {
	text := string(answer)
	return strings.TrimSpace(text) == "" || strings.Contains(text, "Invalid Command") || strings.Contains(text, "rror") ||
		strings.Contains(text, "not found") || strings.Contains(text, "(exit status")
}

func linesOf(answer []byte) (out []string) {
	for l := range strings.Lines(string(answer)) {
		if l = strings.TrimSpace(l); l != "" {
			out = append(out, l)
		}
	}
	return out
}

// values returns the values in an answer that has lines of keys and values.
func values(answer []byte) (out []string) {
	for _, l := range linesOf(answer) {
		key, v, ok := strings.Cut(l, ":")
		if v = strings.TrimSpace(v); !ok || !strings.HasPrefix(key, `"`) || v == "" || v == "{" {
			continue
		}
		var text string
		if json.Unmarshal([]byte(v), &text) == nil {
			v = text
		}
		out = append(out, v)
	}
	return out
}

// onOff returns the key and the words by which a release switches the setting of a meaning, from the grammar.
func onOff(m grammar.Meaning, rel grammar.Release) (key string, words []string) {
	for _, r := range grammar.Rows() {
		if r.Means == m && rel.Compare(r.Since) >= 0 && (r.Before == grammar.Release{} || rel.Compare(r.Before) < 0) {
			key = r.Path[strings.LastIndexByte(r.Path, '.')+1:]
		}
	}
	if words = []string{"on", "off"}; key == "state" {
		words = []string{"enabled", "disabled"}
	}
	return key, words
}

// wordClaim is about the key of a switch setting, and the words that it accepts.
func wordClaim(id, says string, m grammar.Meaning, rel grammar.Release, cmd, source string) target.Claim {
	key, words := onOff(m, rel)
	return target.Claim{
		ID: id, Own: true, Says: says + " " + key + ", which is " + strings.Join(words, " or ") + ".", Source: source,
		Query: picked(cmd, `"(enable|state)": *"[a-z]+"`),
		Judge: func(answer []byte) target.Verdict {
			lines := linesOf(answer)
			good := slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, `"`+key+`":`) })
			odd := slices.ContainsFunc(values(answer), func(v string) bool { return !slices.Contains(words, v) })
			return target.Decide(len(values(answer)) > 0, good && !odd)
		},
	}
}

func autoSaveClaim(rel grammar.Release, later bool) target.Claim {
	key, on, off := "enable", "on", "off"
	if later {
		key, on, off = "state", "enabled", "disabled"
	}
	word := off
	if rel.AtLeast(5, 9) {
		word = on
	}
	return target.Claim{
		ID:     "nvue-auto-save",
		Says:   "The key " + key + " of system config auto-save decides whether NVUE saves by itself. The default is " + word + ".",
		Source: "NVUE Reference, Config Commands: on from 5.9; in 5.15 the words are the same as for other switches of the tree",
		Query:  picked("nv show system config auto-save -o json", `"(enable|state)": *"[a-z]+"`),
		Judge: func(answer []byte) target.Verdict {
			lines := linesOf(answer)
			named := slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, `"`+key+`":`) })
			if named && !slices.Contains(values(answer), word) && slices.Contains(values(answer), map[string]string{on: off, off: on}[word]) {
				return target.NotDecided // others may have set it
			}
			return target.Decide(len(values(answer)) > 0, named && slices.Contains(values(answer), word))
		},
	}
}

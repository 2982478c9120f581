package grammar

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/lang/diag"
)

// Roots are the top keys of NVUE's tree. A tree without any of them belongs to something else.
var Roots = []string{
	"acl", "bridge", "evpn", "ib", "interface", "maintenance", "mlag", "nve", "platform", "qos", "router", "service", "system", "vrf",
}

// The words after nv and after nv config. Source: NVUE Reference, NVUE CLI, and Configure and Monitor.
var (
	verbs   = []string{"set", "unset", "show", "config", "action", "list", "list-commands", "--help", "-h", "help"}
	configs = []string{
		"apply", "delete", "detach", "diff", "find", "history", "patch", "replace", "revision", "save", "show", "translate", "auto-save",
		"apply-startup", "-h", "--help",
	}
)

// verbSlip returns why nv has no such command, and the index of the wrong word after nv; empty: nv has the command.
func verbSlip(words []string) (at int, why string) {
	switch verb := words[0]; {
	case !slices.Contains(verbs, verb):
		return 0, fmt.Sprintf("there is no nv %s%s", diag.Escape(diag.Cut(verb)), meant(verb, verbs))
	case verb == "config" && len(words) > 1 && !slices.Contains(configs, words[1]):
		return 1, fmt.Sprintf("there is no nv config %s%s", diag.Escape(diag.Cut(words[1])), meant(words[1], configs))
	}
	return 0, ""
}

// pathSlip returns why a path begins with no object of NVUE. is is the intended word, or empty.
func pathSlip(g *Grammar, verb string, keys []string) (why, is string) {
	if word := keys[0]; !slices.Contains(Roots, word) {
		if is = Meant(word, Roots); is == "" && len(keys) > 1 && slices.Contains(Roots, keys[1]) { // two words are in the wrong order
			if _, known := g.At([]string{keys[1], word}); known {
				return fmt.Sprintf("NVUE has no object %s (did you mean nv %s %s %s?)", diag.Escape(word), verb, keys[1], diag.Escape(word)), ""
			}
		}
		return fmt.Sprintf("NVUE has no object %s%s", diag.Escape(diag.Cut(word)), meant(word, Roots)), is
	}
	return "", ""
}

// Meant returns the word that a wrong word was intended to be: the nearest, or the only one with that beginning; empty: there is no such
// word.
func Meant(word string, words []string) string {
	const least = 3 // minimum length of a beginning
	if near := diag.Nearest(word, words); near != "" || len(word) < least {
		return near
	}
	is := ""
	for _, w := range words {
		switch {
		case !strings.HasPrefix(w, word):
		case is != "":
			return ""
		default:
			is = w
		}
	}
	return is
}

// meant returns the intended word, as a question in parentheses.
func meant(word string, words []string) string {
	is := Meant(word, words)
	if is == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %s?)", is)
}

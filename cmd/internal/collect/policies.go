package collect

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// policyWords are the words of FRRouting before the name of a policy or of a peer group.
var policyWords = []string{
	"route-map", "peer-group", "prefix-list", "filter-list", "distribute-list", "advertise-map", "unsuppress-map", "call", "community",
	"extcommunity", "large-community", "as-path", "comm-list",
}

// policies replaces the names of policies and of peer groups in configurations of FRRouting: their owners have chosen them.
type policies struct{ words map[string]string }

// replace returns the text of a file with words for the names.
func (p *policies) replace(file, text string) string {
	if !strings.HasSuffix(path.Base(file), "frr.conf") {
		return text
	}
	names := map[string]bool{}
	for line := range strings.Lines(text) {
		for i, words := 1, strings.Fields(line); i < len(words); i++ {
			if slices.Contains(policyWords, words[i-1]) && words[0] != "set" && strings.Trim(words[i], "0123456789:") != "" {
				names[words[i]] = true
			}
		}
	}
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString(p.line(line, names))
	}
	return out.String()
}

// line replaces the names in a line. The first word, and the direction of a policy at the end, are words of FRRouting.
func (p *policies) line(line string, names map[string]bool) string {
	words := strings.Split(line, " ")
	seen := 0
	for i, w := range words {
		bare := strings.TrimRight(w, "\r\n")
		if bare == "" {
			continue
		}
		if seen++; seen == 1 || !names[bare] || slices.Contains([]string{"in", "out", "permit", "deny"}, bare) ||
			slices.Contains(policyWords, bare) {
			continue
		}
		if p.words[bare] == "" {
			p.words[bare] = fmt.Sprintf("policy-%d", len(p.words)+1)
		}
		words[i] = p.words[bare] + w[len(bare):]
	}
	return strings.Join(words, " ")
}

package sonic

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/sonic/grammar"
	"github.com/rocec/rocec/targets/sonic/lint"
	"github.com/rocec/rocec/targets/sonic/read"
)

// linter judges a state by itself, but for what holds of the state that rocec writes from nothing, too: that follows from the fabric, and
// validate has judged it. foreign says why it is not a configuration of this switch at all.
func (w *Wish) linter() func([]byte) (found diag.List, foreign string) {
	key := func(d *diag.Diagnostic) string { return d.Code + " " + d.Detail }
	meant := sync.OnceValue(func() map[string]bool {
		whole, _ := w.Edit(nil)
		m := map[string]bool{}
		for _, d := range lint.CheckRows(Path, whole, w.lower().release) {
			m[key(d)] = true
		}
		return m
	})
	return func(content []byte) (found diag.List, foreign string) {
		cfg, err := grammar.ReadRows(content)
		if err != nil {
			return nil, ""
		}
		if n := grammar.ASICs(cfg); n > 1 {
			return nil, "The switch has " + strconv.Itoa(n) + " chips, each with a configuration of its own, and rocec writes switches of one chip."
		}
		box, err := w.box(cfg)
		if err != nil {
			return nil, ""
		}
		for _, d := range lint.CheckRows(Path, withMade(cfg, content), box.Release) {
			if !meant()[key(d)] {
				found = append(found, d)
			}
		}
		return found, ""
	}
}

// withMade gives a state with a row for each profile that the buffer manager has made and a priority group names, behind all others: they
// are on the switch, and no part of the state ([grammar.Config.Rows]). Where the lookup file has no sizes for one, its headroom is not
// known; that the profile has one is.
func withMade(cfg *grammar.Config, content []byte) []byte {
	lookup := grammar.LookupOf(cfg)
	made := cfg.Clone()
	var rows []byte
	for _, key := range cfg.Keys("BUFFER_PG") {
		profile := cfg.Get("BUFFER_PG", key, "profile")
		if !grammar.IsMade(profile) || strings.ContainsAny(profile, " \n") || made.Row("BUFFER_PROFILE", profile) != nil {
			continue
		}
		xoff := read.Headroom(cfg, lookup, profile)
		made.Put("BUFFER_PROFILE", profile, "xoff", strconv.Itoa(xoff))
		rows = fmt.Appendf(rows, "BUFFER_PROFILE|%s xoff \"%d\"\n", profile, xoff)
	}
	if len(rows) == 0 {
		return content
	}
	return slices.Concat(bytes.TrimSuffix(content, []byte("\n")), []byte("\n"), rows)
}

package lint

import (
	"strings"

	"github.com/rocec/rocec/targets/sonic/grammar"
)

// same reports two rows of PORT that have a lane or an alias in common.
func (j *judge) same() {
	lanes, aliases := map[string]string{}, map[string]string{}
	for _, name := range j.keys("PORT") {
		row := j.cfg.Row("PORT", name)
		if !grammar.IsPort(name) {
			continue
		}
		lane, other := "", ""
		if text := row.Get("lanes"); text != "" {
			for l := range strings.SplitSeq(text, ",") {
				l = strings.TrimSpace(l)
				if of, taken := lanes[l]; taken && of != name && other == "" {
					lane, other = l, of
				}
				if lanes[l] == "" {
					lanes[l] = name
				}
			}
		}
		alias := row.Get("alias")
		switch of := aliases[alias]; {
		case other != "":
			j.errorf(&topicTwice, row.Fields["lanes"].At, "The ports %s and %s both have lane %s, so they are one port of the chip, and the switch "+
				"cannot make both. Each port of a split cable has its own lanes; remove the other row.", other, name, lane)
		case alias != "" && of != "":
			j.errorf(&topicTwice, row.Fields["alias"].At, "The ports %s and %s both have the alias %s, so tools that use aliases may "+
				"find either. Give each port its own.", of, name, alias)
		}
		if aliases[alias] == "" {
			aliases[alias] = name
		}
	}
}

package judge

import (
	"maps"
	"strings"
	"sync"

	"github.com/rocec/rocec/compiler"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/validate"
)

// Ignorable returns the effect that a rocec:ignore comment has on a code of the pipeline. A person may accept findings of checks. After
// errors of other packages the pipeline cannot continue. A PFC loop, or a missing proof that there is none, can only be accepted in its
// cos_group.
func Ignorable(code string) lang.Ignorable { return ignorable()[code] }

var ignorable = sync.OnceValue(func() map[string]lang.Ignorable {
	out := map[string]lang.Ignorable{}
	for _, topics := range [][]diag.Topic{lang.Topics, compiler.Topics, targets.Topics} {
		for _, t := range topics {
			out[t.Code] = lang.UnlessError
			if strings.HasPrefix(t.Code, "ignore-") {
				out[t.Code] = lang.Never
			}
		}
	}
	for _, c := range validate.Checks {
		out[c.Code] = lang.Always
	}
	out[validate.PFCLoop.Code] = lang.Never
	out[validate.PFCLoopUnknown.Code] = lang.Never
	return out
})

// kinds returns [Ignorable] for every code.
func kinds(others []diag.Topic) map[string]lang.Ignorable {
	out := ignorable()
	if len(others) == 0 {
		return out
	}
	out = maps.Clone(out)
	for _, t := range others {
		out[t.Code] = lang.Never
	}
	return out
}

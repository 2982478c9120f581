package keys

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rocec/rocec/cmd/internal/broker"
)

// NATSConf returns the part of the configuration of a NATS server that rocecd does not run: by it, the server knows the users of the ring
// and those who are revoked, and takes the largest message. It has no secret. Each server of a cluster gets the same part.
//
// Source: docs.nats.io, Memory Resolver Tutorial: operator, system_account, resolver, resolver_preload.
func (t *Trust) NATSConf() string {
	var out strings.Builder
	fmt.Fprintf(&out, "operator: %q\nsystem_account: %s\nresolver: MEMORY\nresolver_preload: {\n", t.JWT, t.System)
	for _, key := range slices.Sorted(maps.Keys(t.Accounts)) {
		fmt.Fprintf(&out, "  %s: %q\n", key, t.Accounts[key])
	}
	fmt.Fprintf(&out, "}\nmax_payload: %d\n", broker.MaxPayload)
	return out.String()
}

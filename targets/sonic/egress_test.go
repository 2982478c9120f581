package sonic_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rocec/rocec/targets/sonic/grammar"
)

// withQueues adds the queue buffers of the templates to the usual switch: queues 3 and 4 are lossless.
func withQueues(release string) (box, string) {
	b := usual(release)
	return b, change(release, func(c *grammar.Config) {
		for profile, pool := range map[string]string{
			"egress_lossless_profile": "egress_lossless_pool",
			"egress_lossy_profile":    "egress_lossy_pool",
		} {
			for field, text := range map[string]string{"type": "egress", "mode": "dynamic", "size": "20000000"} {
				c.Put("BUFFER_POOL", pool, field, text)
			}
			for field, text := range map[string]string{"pool": pool, "size": "0", "dynamic_th": "7"} {
				c.Put("BUFFER_PROFILE", profile, field, text)
			}
		}
		for _, p := range b.ports {
			c.Put("BUFFER_QUEUE", p+"|0-2", "profile", "egress_lossy_profile")
			c.Put("BUFFER_QUEUE", p+"|3-4", "profile", "egress_lossless_profile")
			c.Put("BUFFER_QUEUE", p+"|5-6", "profile", "egress_lossy_profile")
		}
	})
}

// queues returns the profiles of a port's queues.
func queues(c *grammar.Config, port string) map[string]string {
	out := map[string]string{}
	for _, key := range c.Keys("BUFFER_QUEUE") {
		if index, ok := strings.CutPrefix(key, port+"|"); ok {
			out[index] = c.Get("BUFFER_QUEUE", key, "profile")
		}
	}
	return out
}

// TestEgress: a lossless class leaves by a queue that does not drop, whatever its number. Queue buffers that others set stay, and undoing
// the change restores the first state.
func TestEgress(t *testing.T) {
	const lossless, lossy = "egress_lossless_profile", "egress_lossy_profile"
	usual := map[string]string{"0-2": lossy, "3-4": lossless, "5-6": lossy}
	for _, release := range []string{"202205", "202505", "202605"} {
		b, state := withQueues(release)
		for cos, want := range map[string]map[string]string{
			"3": usual,
			"5": {"0-2": lossy, "3-4": lossless, "5": lossless, "6": lossy},
			"1": {"0": lossy, "1": lossless, "2": lossy, "3-4": lossless, "5-6": lossy},
			"7": {"0-2": lossy, "3-4": lossless, "5-6": lossy, "7": lossless},
		} {
			w := wish(t, device(t, strings.Replace(on(release), "cos      = 3", "cos      = "+cos, 1), "tor1"))
			next := edit(t, w, state)
			c := read(t, next)
			assert.Equal(t, want, queues(c, "Ethernet0"), cos)
			assert.Equal(t, usual, queues(c, "Ethernet16"), "it is not in the fabric")
			assert.Equal(t, next, edit(t, w, next))
			m := newModel(t, b, state)
			m.run(sequence(t, w, state, next))
			m.same(next)
			m.run(sequence(t, w, next, state))
			m.same(state)
		}
		w := wish(t, device(t, on(release), "tor1"))
		done := edit(t, w, state)
		for name, change := range map[string]func(c *grammar.Config){
			"another profile": func(c *grammar.Config) { c.Put("BUFFER_QUEUE", "Ethernet0|3-4", "profile", lossy) },
			"a smaller share of the pool": func(c *grammar.Config) {
				for field, text := range map[string]string{"pool": "egress_lossless_pool", "size": "0", "dynamic_th": "-3"} {
					c.Put("BUFFER_PROFILE", "little", field, text)
				}
				c.Put("BUFFER_QUEUE", "Ethernet0|3-4", "profile", "little")
			},
		} {
			c := read(t, done)
			change(c)
			out := read(t, edit(t, w, string(c.Rows())))
			assert.Equal(t, lossless, out.Get("BUFFER_QUEUE", "Ethernet0|3", "profile"), name)
			assert.Equal(t, c.Get("BUFFER_QUEUE", "Ethernet0|3-4", "profile"), out.Get("BUFFER_QUEUE", "Ethernet0|4", "profile"), name)
			assert.Nil(t, out.Row("BUFFER_QUEUE", "Ethernet0|3-4"), name)
		}
	}
}

// TestRemark: a port of the fabric does not change the DSCP of its packets; ports outside the fabric may.
func TestRemark(t *testing.T) {
	old := change("202505", func(c *grammar.Config) {
		c.Put("TC_TO_DSCP_MAP", "theirs", "3", "0")
		c.Put("PORT_QOS_MAP", "Ethernet0", "tc_to_dscp_map", "theirs")
		c.Put("PORT_QOS_MAP", "Ethernet16", "tc_to_dscp_map", "theirs")
	})
	c := read(t, edit(t, wish(t, device(t, rack, "tor1")), old))
	assert.False(t, c.Row("PORT_QOS_MAP", "Ethernet0").Has("tc_to_dscp_map"))
	assert.Equal(t, "theirs", c.Get("PORT_QOS_MAP", "Ethernet16", "tc_to_dscp_map"))
	assert.Equal(t, "0", c.Get("TC_TO_DSCP_MAP", "theirs", "3"))
}

package senders

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rocec/rocec/targets/target/sender"
)

// TestText: the text has each sender once, the detail of those outside of the class, and the settings that the others need.
func TestText(t *testing.T) {
	one := func(s sender.Kind, state sender.State, detail string) sender.Reach {
		out := sender.Reach{NICs: []string{"ens1f0", "ens2f0"}, Intent: "training", Sender: s, State: state, Detail: detail}
		if state != sender.Holds && s != sender.CM {
			out.Settings = []string{"NCCL_IB_SL=3", "UCX_IB_SL=3"}
		}
		if s == sender.VF || s == sender.Container {
			out.Pod = []string{`"vlan": 100`, `"vlanQoS": 3`}
		}
		return out
	}
	holds, escapes, unknown := sender.Holds, sender.Escapes, sender.Unknown
	assert.Equal(t, "training on ens1f0 ens2f0. In the class: RDMA-CM and programs without RDMA-CM.",
		text([]sender.Reach{one(sender.CM, holds, "A."), one(sender.Verbs, holds, "B.")}))
	assert.Equal(t, "training on ens1f0 ens2f0. In the class: RDMA-CM. Not in the class: virtual functions. V. Not known: "+
		`programs without RDMA-CM, GPUs and containers. Programs need NCCL_IB_SL=3 UCX_IB_SL=3. Networks of pods need "vlan": 100, "vlanQoS": 3.`,
		text([]sender.Reach{
			one(sender.CM, holds, "A."), one(sender.Verbs, unknown, "B."), one(sender.GPU, unknown, "G."),
			one(sender.VF, escapes, "V."), one(sender.Container, unknown, "C."),
		}))
	other := one(sender.CM, holds, "A.")
	other.NICs = []string{"ens3f0"}
	assert.Equal(t, []string{
		"training on ens1f0 ens2f0. In the class: RDMA-CM and programs without RDMA-CM.", "training on ens3f0. In the class: RDMA-CM.",
	}, Texts([]sender.Reach{one(sender.CM, holds, "A."), other, one(sender.Verbs, holds, "B.")}))
	assert.Equal(t, "training on ens1f0 ens2f0. Not known: RDMA-CM. default_roce_tos was not read.",
		text([]sender.Reach{one(sender.CM, unknown, "default_roce_tos was not read.")}))
}

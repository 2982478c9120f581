package qede

import (
	"github.com/rocec/rocec/targets/nic/senders"
	"github.com/rocec/rocec/targets/target/sender"
)

// markings returns, for each sender, the setting that marks its packets.
func markings() []sender.Marking {
	return []sender.Marking{
		senders.Judged(senders.CMMarking),
		senders.VerbsMarking("", "Linux, qedr/verbs.c"),
		senders.NoGPU("no public text"),
		senders.Judged(senders.VFMarking("`default_roce_tos`", "", "Linux, cma.c; whether qedr serves a virtual function is unsure")),
		senders.Judged(senders.ContainerMarking),
	}
}

package rxe

import (
	"github.com/rocec/rocec/targets/nic/senders"
	"github.com/rocec/rocec/targets/target/sender"
)

// markings returns, for each sender, the setting that marks its packets. The note about traffic_class names programs without RDMA-CM.
func markings() []sender.Marking {
	return []sender.Marking{
		senders.CMMarking,
		senders.VerbsMarking("", "Linux, rxe_net.c"),
		{Kind: sender.GPU, Setting: "no GPU uses a device of software", Source: "rdma-core, rxe.md"},
		{Kind: sender.VF, Setting: "the device has no virtual functions", Source: "Linux, rxe.c"},
		senders.ContainerMarking,
	}
}

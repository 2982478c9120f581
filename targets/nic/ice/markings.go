package ice

import (
	"github.com/rocec/rocec/targets/nic/senders"
	"github.com/rocec/rocec/targets/target/sender"
)

// markings returns, for each sender, the setting that marks its packets.
func markings() []sender.Marking {
	return []sender.Marking{
		senders.CMMarking,
		senders.VerbsMarking("queue pairs without RDMA-CM", "Linux, irdma"),
		senders.NoGPU("no public text"),
		senders.VFMarking("`default_roce_tos`", "as for mlx5; with Intel's own irdma they have no RDMA while `resource_profile` is 0",
			"Linux, cma.c; Intel, irdma main.c"),
		senders.ContainerMarking,
	}
}

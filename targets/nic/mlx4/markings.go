package mlx4

import (
	"github.com/rocec/rocec/targets/nic/senders"
	"github.com/rocec/rocec/targets/target/sender"
)

// markings returns, for each sender, the setting that marks its packets. The card takes the priority from PCP.
func markings() []sender.Marking {
	return []sender.Marking{
		senders.CMMarking,
		senders.VerbsMarking("queue pairs without RDMA-CM", "Linux, mlx4_ib"),
		senders.NoGPU("NVSHMEM's IBGDA and NCCL's GDAKI need DevX of mlx5"),
		senders.VFMarking("`default_roce_tos`", "as for mlx5; the VLAN that the host gives a virtual function did not reach RoCE",
			"Linux, cma.c; commit 3f7fb021 (mlx4: set VF default vlan)"),
		senders.ContainerMarking,
	}
}

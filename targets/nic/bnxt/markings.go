package bnxt

import (
	"github.com/rocec/rocec/targets/nic/senders"
	"github.com/rocec/rocec/targets/target/sender"
)

// markings returns, for each sender, the setting that marks its packets.
func markings() []sender.Marking {
	return []sender.Marking{
		senders.CMMarking,
		senders.VerbsMarking("", "Linux, bnxt_re"), // the note about traffic_class names them
		senders.GPUMarking("`MORI_RDMA_TC`, `MORI_IO_TC`, `ROCSHMEM_GDA_TRAFFIC_CLASS`",
			"queue pairs that a GPU uses (MORI, GDA of rocSHMEM)",
			"ROCm/mori#298, ROCm/rocSHMEM#358"),
		senders.VFMarking("`default_roce_tos`", "as for mlx5", "Linux, cma.c"),
		senders.ContainerMarking,
	}
}

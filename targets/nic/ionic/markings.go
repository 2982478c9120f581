package ionic

import (
	"github.com/rocec/rocec/targets/nic/senders"
	"github.com/rocec/rocec/targets/target/sender"
)

// markings returns, for each sender, the setting that marks its packets.
func markings() []sender.Marking {
	return []sender.Marking{
		senders.Judged(senders.CMMarking),
		senders.VerbsMarking("", "Linux, ionic_controlpath.c: `ionic_modify_qp_cmd`"),
		senders.GPUMarking("`MORI_RDMA_TC`, `MORI_IO_TC`, `ROCSHMEM_GDA_TRAFFIC_CLASS`", "", "ROCm/mori#362, ROCm/rocSHMEM#358"),
		senders.Judged(senders.VFMarking("`default_roce_tos`", "", "Linux, cma.c; whether ionic_rdma serves a virtual function is unsure")),
		senders.Judged(senders.ContainerMarking),
	}
}

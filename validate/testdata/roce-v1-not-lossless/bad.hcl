# background: rack

cos_group "storage" {} # no lossless

roce "nvme" {
  cos_group = cos_group.storage # want "roce-v1-not-lossless: .*cos group \"storage\" is lossy"
}

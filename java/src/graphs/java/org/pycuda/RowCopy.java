package org.pycuda;

/**
 * A copy of one row in a graph. A buffer's range is read once, because other threads may move its limit meanwhile.
 *
 * @param nbytes its length
 */
record RowCopy(Memcpy3D copy, long nbytes) {
    private static RowCopy ofBytes(long nbytes) {
        return new RowCopy(new Memcpy3D().setWidthInBytes(nbytes).setHeight(1).setDepth(1), nbytes);
    }

    static RowCopy onDevice(PointerHolderBase dest, PointerHolderBase src, long nbytes) {
        RowCopy row = ofBytes(nbytes);
        row.copy.setDstDevice(dest).setSrcDevice(src);
        return row;
    }

    static RowCopy toDevice(PointerHolderBase dest, Object src) {
        HostUse use = HostUse.forEver(src);
        RowCopy row = ofBytes(use.nbytes);
        row.copy.setDstDevice(dest);
        row.copy.setSrcHost(use.address, use.nbytes, src);
        return row;
    }

    static RowCopy toHost(Object dest, PointerHolderBase src) {
        HostData.requireWritable(dest);
        HostUse use = HostUse.forEver(dest);
        RowCopy row = ofBytes(use.nbytes);
        row.copy.setDstHost(use.address, use.nbytes, dest);
        row.copy.setSrcDevice(src);
        return row;
    }
}

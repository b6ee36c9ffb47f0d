package org.pycuda.arguments;

import static org.pycuda.arguments.Row.SIZE;
import static org.pycuda.arguments.Row.reads;
import static org.pycuda.arguments.Row.writes;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.pycuda.Array;
import org.pycuda.DType;
import org.pycuda.Driver;
import org.pycuda.Event;
import org.pycuda.HostData;
import org.pycuda.IPCMemoryHandle;
import org.pycuda.IpcMemFlags;
import org.pycuda.JitInputType;
import org.pycuda.Library;
import org.pycuda.Memcpy2D;
import org.pycuda.MessageHandler;
import org.pycuda.Module;
import org.pycuda.Order;
import org.pycuda.StreamOrderedPool;
import org.pycuda.TensorMap;
import org.pycuda.Textures;
import org.pycuda.compiler.DynamicModule;

/** Code, handles of other processes, and host memory that is registered or wrapped. */
final class CodeRows {
    private CodeRows() {}

    private static final byte[] PTX = (".version 8.0\n.target sm_50\n.address_size 64\n.visible .entry nothing()\n{\n    ret;\n}\n"
        + " ".repeat(64)).substring(0, 128).getBytes(StandardCharsets.US_ASCII);

    static List<Row> all() {
        List<Row> rows = new ArrayList<>();
        Supplier<MessageHandler> handler = () -> (success, info, error) -> { };
        rows.add(new Row(Driver.class, "moduleFromBuffer", reads(PTX), Map.of(), handler)
            .then((result, self, values) -> ((Module) result).function("nothing")));
        rows.add(new Row(Library.class, "fromBuffer", reads(PTX), Map.of(), handler)
            .then((result, self, values) -> ((Library) result).kernel("nothing")));
        rows.add(new Row(DynamicModule.class, "addData", reads(PTX), JitInputType.PTX, "nothing").on(DynamicModule::new)
            .then((result, self, values) -> ((DynamicModule) self).link().function("nothing")));
        rows.add(new Row(IPCMemoryHandle.class, "new", reads(), (Object) new IpcMemFlags[] {IpcMemFlags.LAZY_ENABLE_PEER_ACCESS}).fails(Driver.Error.class));
        rows.add(new Row(StreamOrderedPool.class, "exportPointer", reads()).fails(Driver.Error.class));
        rows.add(new Row(StreamOrderedPool.class, "importPointer", reads()).on(StreamOrderedPool::new).fails(Driver.Error.class));
        rows.add(new Row(TensorMap.class, "of", reads()));
        rows.add(new Row(TensorMap.class, "replaceAddress", reads()).on(() -> TensorMap.of(Driver.memAlloc(64)).shape(64).tiled(16)));
        rows.add(new Row(Event.class, "fromIpcHandle", reads()).fails(Driver.Error.class));
        images(rows);
        return rows;
    }

    /** Elements of one byte, as they are and as unsigned ones: other types do not have the shape. */
    private static void images(List<Row> rows) {
        String[] wider = HostKinds.ALL.stream().map(Kind::name).filter(ObjectRows::isWider).toArray(String[]::new);
        Row.Then back = (result, self, values) -> {
            var copy = new Memcpy2D().setSrcArray((Array) result).setDstHost((ByteBuffer) values[values.length - 1]);
            copy.setDstPitch(SIZE / 4).setWidthInBytes(SIZE / 4).setHeight(4).copy();
        };
        for (UnaryOperator<HostData> typed : List.<UnaryOperator<HostData>>of(UnaryOperator.identity(), host -> host.as(DType.UINT8))) {
            for (Row row : new Row[] {new Row(Textures.class, "matrixToArray", reads(), Order.C, writes(0)),
                new Row(Textures.class, "toArray", reads(), Order.C, false, writes(0)).of(3), new Row(Textures.class, "toArray", reads(), Order.C, writes(0)).of(2)}) {
                rows.add(row.as(host -> typed.apply(host).shape(4, SIZE / 4)).then(back).but(IllegalArgumentException.class, wider));
            }
            rows.add(new Row(Textures.class, "makeMultichannel2dArray", reads(), Order.C, writes(0)).as(host -> typed.apply(host).shape(4, SIZE / 8, 2)).then(back)
                .but(IllegalArgumentException.class, wider));
        }
    }
}

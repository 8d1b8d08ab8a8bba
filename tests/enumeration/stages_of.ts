import { methodOptions, type Scene } from "./scene.ts";

type Controller = TransformStreamDefaultController<unknown>;

function ignore(): void {}

/** The stages of a schedule: each gives what it gets, but where the schedule deviates. */
export function stagesOf(scene: Scene, count: number): Transformer<unknown, unknown>[] {
  return Array.from({ length: count }, (_, index) => {
    let controller!: Controller;
    let transforms = 0;
    return {
      start(given: Controller) {
        controller = given;
        scene.say(`stage ${index}: start`);
        return scene.act(`start ${index}`, methodOptions.stage, given, ignore) as void;
      },
      transform(chunk: unknown) {
        scene.say(`stage ${index}: transform ${chunk}`);
        return scene.act(
          `transform ${index}.${transforms++}`,
          methodOptions.stage,
          controller,
          () => controller.enqueue(chunk),
        ) as void;
      },
      flush() {
        scene.say(`stage ${index}: flush`);
        return scene.act(`flush ${index}`, methodOptions.stage, controller, ignore) as void;
      },
      cancel(reason: unknown) {
        scene.say(`stage ${index}: cancel ${scene.show(reason)}`);
        return scene.act(`cancel ${index}`, methodOptions.end, controller, ignore) as void;
      },
    };
  });
}
